// SPDX-License-Identifier: BSD-3-Clause
//
// Many small pieces of one transfer to or from a PE of another node: packed into messages that its
// node server unpacks or fills, 4 KiB each, or much more of a large put (stage.h). What vector,
// indexed and strided transfers of more than one dimension are made of.
//
//     cw_pieces_t p;
//     cw_pieces_begin(&p, ctx, rank, put, total);
//     while (…) cw_pieces_add(&p, symmetric, local, nbytes);
//     cw_pieces_end(&p);
//
// All complete at the next quiet, puts and gets alike; local memory of puts may be used again at
// once. No order among the pieces. Threads: any, each with a cw_pieces_t of its own. Blocking: for
// room to send.
#ifndef CW_CORE_BULK_PIECES_H
#define CW_CORE_BULK_PIECES_H

#include "core/bulk/stage.h"
#include "core/rma/context.h"

#define CW_PIECE_MAX 1024u     // bytes; from here on a transfer of its own pays
#define CW_PIECES_OF_GET 256u  // in one message

typedef struct cw_pieces {
    cw_ctx_t *ctx;
    int rank;
    bool put, staged;
    size_t total, most;             // bytes of the transfer; cw_pieces_most() of it
    const cwt_target_t *target;     // where messages go; NULL: there was no piece yet
    size_t nbytes;                  // of the message or body so far
    struct cw_pieces_reply *reply;  // of gets: where its bytes go
    cw_stage_t stage;
    uint64_t *body;  // staged
    uint64_t message[CW_MESSAGE_MAX / sizeof(uint64_t)];
} cw_pieces_t;

/** Up to how many bytes pieces of such a transfer should be packed, not go alone. */
size_t cw_pieces_most(bool put, size_t total);

/** total: bytes of all pieces, about. */
void cw_pieces_begin(cw_pieces_t *p, cw_ctx_t *ctx, int rank, bool put, size_t total);
/** At most cw_pieces_most() bytes. A PE of this node is served too, without a message. */
void cw_pieces_add(cw_pieces_t *p, void *symmetric, void *local, size_t nbytes);
/** Sends what is left. */
void cw_pieces_end(cw_pieces_t *p);

#endif
