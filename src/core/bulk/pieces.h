// SPDX-License-Identifier: BSD-3-Clause
//
// Many small pieces of one transfer to or from a PE of another node: packed into messages of 4 KiB
// that its node server unpacks or fills, or staged where there are many (stage.h).
//
//     cw_pieces_t p;
//     cw_pieces_begin(&p, ctx, rank, put, total);
//     while (…) cw_pieces_add(&p, symmetric, local, nbytes);  or many in rows
//     cw_pieces_end(&p);
//
// All complete at the next quiet, in no order; local memory of puts may be used again at once.
// Threads: any, each with its own cw_pieces_t. Blocking: for room to send; staged gets for their
// bytes.
#ifndef CW_CORE_BULK_PIECES_H
#define CW_CORE_BULK_PIECES_H

#include "core/bulk/rows.h"
#include "core/bulk/stage.h"
#include "core/rma/context.h"

#define CW_PIECE_MAX 1024u          // bytes; from here on a transfer of its own pays
#define CW_PIECES_GET_LEAST 32768u  // bytes; smaller gets do not wait
#define CW_PIECES_OF_GET 256u       // in one message
#define CW_PIECES_OF_PART 8192u     // in one part of a staged get

typedef struct cw_pieces {
    cw_ctx_t *ctx;
    int rank;
    bool put, staged, begun;
    size_t total, most;                       // bytes of the transfer; cw_pieces_most() of it
    // once the first piece has come
    const cwt_target_t *target;               // where messages go; NULL: the PE is mapped here,
    uintptr_t delta;                          // at that distance
    size_t nbytes;                            // of the message or body so far
    struct cw_scatter *reply;                 // of gets: where its bytes go
    struct cw_scatter *asked[CW_CELLS_MOST];  // staged: the replies that are due
    uint32_t first;                           // the next one of them
    cw_stage_t stage;
    uint64_t *body;  // staged
    uint64_t message[CW_MESSAGE_MAX / sizeof(uint64_t)];
} cw_pieces_t;

/** Most bytes of pieces that should be packed in such a transfer. */
size_t cw_pieces_most(bool put, size_t total);

/** total: bytes of all pieces, about. Communicates nothing: the first piece does. */
void cw_pieces_begin(cw_pieces_t *p, cw_ctx_t *ctx, int rank, bool put, size_t total);
/** Rows of at most cw_pieces_most() bytes; src of a get and dest of a put are symmetric. A PE of
 *  this node is served too, without a message. */
void cw_pieces_add_rows(cw_pieces_t *p, const cw_rows_t *r);
/** One of them. */
static inline void cw_pieces_add(cw_pieces_t *p, void *symmetric, void *local, size_t nbytes)
{
    uintptr_t far = (uintptr_t)symmetric, near = (uintptr_t)local;
    const cw_rows_t row = {p->put ? far : near, p->put ? near : far, 0, 0, nbytes, 1};
    cw_pieces_add_rows(p, &row);
}
/** Sends what is left. */
void cw_pieces_end(cw_pieces_t *p);

#endif
