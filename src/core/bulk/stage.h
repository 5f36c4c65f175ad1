// SPDX-License-Identifier: BSD-3-Clause
//
// Staging: how large requests travel. A request is a message of at most 4 KiB; a transfer of many
// pieces makes hundreds of them. Instead its bodies go, one direct put each, into cells of 512 KiB
// in the target node's control area, and a small request behind each put has the node server
// execute what lies in the cell: a request of any kind that has no reply of its own (ADR 55).
//
//     cw_stage_t s;
//     if (cw_stage_begin(&s, ctx, rank, target, nbytes, "strided put")) {
//         while (…) {
//             cwt_header_t *body = cw_stage_body(&s);  // s.room bytes
//             … fill in body->op and what follows
//             cw_stage_send(&s, nbytes);
//         }
//         cw_stage_end(&s);
//     } else { … as messages }
//
// Gets go the other way: the node server gathers into a cell what a request names, and one direct
// get brings it here. While one part is on its way, the server gathers the next ones:
//
//     while (more, or s.asked > 0)
//         if (more && s.asked < s.n)
//             cw_stage_ask(&s, request, nbytes, payload);  // a request without a reply of its own
//         else
//             … what cw_stage_take(&s) returns, before the next call
//
// The cells are the node's, a fixed number of them, which its server hands out; when it has none
// left, begin returns false and the transfer goes as messages: no PE ever waits for another one's
// cells. They are the caller's between begin and end. Few senders may keep theirs from one transfer
// to the next.
//
// Bodies execute in order with the other requests to that node, after the puts before them, and are
// complete at the next quiet. What is gathered is read in the same order. Threads: any, each with a
// cw_stage_t of its own. Blocking: for the answers of the node server.
#ifndef CW_CORE_BULK_STAGE_H
#define CW_CORE_BULK_STAGE_H

#include "core/mem/layout.h"
#include "core/rma/context.h"
#include "core/rma/request.h"

#define CW_STAGE_PIECE_MAX 65536u  // bytes of a piece: a longer one pays for a put of its own
#define CW_STAGE_BUFFER (CW_CELL_PAYLOAD / 4 * 5)

struct cw_stage_cell;

typedef struct cw_stage {
    cw_ctx_t *ctx;
    int rank, node;
    const char *call;
    cwt_conn_t *conn;
    size_t room;     // for a body: less than a cell where the transfer is small, so that its parts
                     // overlap
    uint32_t n, at;  // cells, and which is next
    uint32_t asked;  // cells before that one that were asked for, and not taken
    struct cw_stage_cell *cell[CW_CELLS_MOST];
} cw_stage_t;

/** Is a transfer of so many bytes staged, if there are cells? */
bool cw_stage_pays(size_t nbytes);
/** False: nothing was begun; there are too few bytes, or no cells. */
bool cw_stage_begin(cw_stage_t *s, cw_ctx_t *ctx, int rank, const cwt_target_t *target,
                    size_t nbytes, const char *call);
/** Room for the next body: s->room bytes. */
void *cw_stage_body(cw_stage_t *s);
void cw_stage_send(cw_stage_t *s, size_t nbytes);
/** Has the server gather what a request names: payload bytes. The request is CW_REQ_GET_STRIDED or
 *  CW_REQ_GET_PIECES, together with its bytes at most s->room long; it may lie in the memory of
 *  cw_stage_body. There is a free cell. */
void cw_stage_ask(cw_stage_t *s, const cwt_header_t *request, size_t nbytes, size_t payload);
/** What was asked for first, when it is here. */
const void *cw_stage_take(cw_stage_t *s);
void cw_stage_end(cw_stage_t *s);

/** A buffer of CW_STAGE_BUFFER bytes, for what needs no cell; the context's port keeps some. NULL:
 *  no memory. */
void *cw_stage_buffer(cw_ctx_t *ctx);
/** buffer: NULL, or not in use any more. */
void cw_stage_buffer_done(cw_ctx_t *ctx, void *buffer);

/** The cells, in the node object. */
extern cw_section_t cw_stage_section;

#endif
