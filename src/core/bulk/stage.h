// SPDX-License-Identifier: BSD-3-Clause
//
// Staging (ADR 55): the bodies of a large transfer go, one direct put each, into cells of 512 KiB
// in the target node's control area. A small request behind each has the node server execute it.
//
//     if (cw_stage_begin(&s, ctx, rank, target, nbytes, "strided put")) {
//         for each part:
//             write op and what follows into cw_stage_body(&s), s.room bytes
//             cw_stage_send(&s, nbytes);
//         cw_stage_end(&s);
//     } else { as messages }
//
// For gets the server gathers into a cell what a request names, and a direct get brings it here:
//
//     while (more, or s.asked > 0)
//         if (more && s.asked < s.n)
//             cw_stage_ask(&s, request, nbytes, payload);
//         else
//             … what cw_stage_take(&s) returns, before the next call
//
// The server lends the node's cells between begin and end (few senders may keep them longer); no PE
// waits for another's. Bodies execute, and gathers read, in order with other requests to that node,
// after the puts before them; bodies are complete at the next quiet. Threads: any, each with its
// own cw_stage_t. Blocking: for the server's answers.
#ifndef CW_CORE_BULK_STAGE_H
#define CW_CORE_BULK_STAGE_H

#include "core/mem/layout.h"
#include "core/rma/context.h"
#include "core/route/request.h"

#define CW_STAGE_PIECE_MAX 65536u  // bytes; a longer piece pays for a put of its own
#define CW_STAGE_BUFFER (CW_CELL_PAYLOAD / 4 * 5)

struct cw_stage_cell;

typedef struct cw_stage {
    cw_ctx_t *ctx;
    int rank, node;
    const char *call;
    cwt_conn_t *conn;
    size_t room;     // for a body; less than a cell where parts should overlap
    uint32_t n, at;  // cells; the next one
    uint32_t asked;  // cells before that one, asked for and not taken
    struct cw_stage_cell *cell[CW_CELLS_MOST];
} cw_stage_t;

/** Would a transfer of so many bytes be staged, given cells? */
bool cw_stage_pays(size_t nbytes);
/** False: nothing was begun: too few bytes, or no cells. */
bool cw_stage_begin(cw_stage_t *s, cw_ctx_t *ctx, int rank, const cwt_target_t *target,
                    size_t nbytes, const char *call);
/** s->room bytes for the next body. */
void *cw_stage_body(cw_stage_t *s);
void cw_stage_send(cw_stage_t *s, size_t nbytes);
/** Has the server gather the payload bytes that a CW_REQ_GET_STRIDED or CW_REQ_GET_PIECES names.
 *  Both fit into s->room; the request may lie in cw_stage_body. A cell must be free. */
void cw_stage_ask(cw_stage_t *s, const cwt_header_t *request, size_t nbytes, size_t payload);
/** Waits for what was asked for first. */
const void *cw_stage_take(cw_stage_t *s);
void cw_stage_end(cw_stage_t *s);

/** CW_STAGE_BUFFER bytes without a cell; the context's port keeps some. NULL: no memory. */
void *cw_stage_buffer(cw_ctx_t *ctx);
/** buffer: NULL, or no longer used. */
void cw_stage_buffer_done(cw_ctx_t *ctx, void *buffer);

extern cw_section_t cw_stage_section;

#endif
