// SPDX-License-Identifier: BSD-3-Clause
//
// Puts travel as records, which the server executes: in messages, or staged where there are many
// (stage.h). A get sends the addresses and receives their bytes in one reply, which is scattered on
// arrival.
#include "core/bulk/pieces.h"

#include <stdlib.h>

#include "core/rma/batch.h"
#include "core/rma/ctx.h"
#include "core/rma/request.h"
#include "core/rma/rma.h"
#include "core/rma/send.h"

/** One reply under way, and where its bytes go. */
typedef struct cw_pieces_reply {
    cwt_reply_t base;  // first: `arrived` gets its address
    int pe;
    uint32_t n;
    size_t nbytes;
    struct {
        void *local;
        size_t nbytes;
    } piece[CW_PIECES_OF_GET];
} cw_pieces_reply_t;

static void arrived(cwt_reply_t *base, const void *payload, size_t nbytes)
{
    cw_pieces_reply_t *reply = (cw_pieces_reply_t *)base;
    const char *from = payload;
    if (nbytes != reply->nbytes)
        cwu_fatal("get of %u pieces: %zu bytes came from PE %d instead of %zu", reply->n, nbytes,
                  reply->pe, reply->nbytes);
    for (uint32_t i = 0; i < reply->n; i++) {
        cw_copy(reply->piece[i].local, from, reply->piece[i].nbytes);
        from += reply->piece[i].nbytes;
    }
    free(reply);
}

static const char *name_of(const cw_pieces_t *p)
{
    return p->put ? "put of pieces" : "get of pieces";
}

static void send_message(cw_pieces_t *p)
{
    cwt_header_t *header = (cwt_header_t *)(void *)p->message;
    *header = (cwt_header_t){.op = p->put ? CW_REQ_PUT_PIECES : CW_REQ_GET_PIECES};
    cw_pieces_reply_t *reply = p->reply;
    p->reply = NULL;
    if (reply)
        reply->base.capacity = reply->nbytes;
    cw_ctx_must(cw_request_send(cw_ctx_node(p->ctx, p->rank), p->target->conn, header, p->nbytes,
                                reply ? &reply->base : NULL),
                name_of(p), p->ctx, p->rank);
    cw_ctx_mark(p->ctx);
    p->nbytes = sizeof *header;
}

static void send_body(cw_pieces_t *p)
{
    cwt_header_t *header = (cwt_header_t *)(void *)p->body;
    *header = (cwt_header_t){.op = CW_REQ_PUT_PIECES};
    cw_stage_send(&p->stage, p->nbytes);
    p->nbytes = sizeof *header;
}

static void send_filled(cw_pieces_t *p)
{
    if (p->nbytes == sizeof(cwt_header_t))
        return;
    if (p->staged)
        send_body(p);
    else
        send_message(p);
}

size_t cw_pieces_most(bool put, size_t total)
{
    return put && cw_stage_pays(total) ? CW_STAGE_PIECE_MAX : CW_PIECE_MAX - 1;
}

void cw_pieces_begin(cw_pieces_t *p, cw_ctx_t *ctx, int rank, bool put, size_t total)
{
    p->ctx = ctx;
    p->rank = rank;
    p->put = put;
    p->total = total;
    p->most = cw_pieces_most(put, total);
    p->target = NULL;
    p->staged = false;
    p->nbytes = sizeof(cwt_header_t);
    p->reply = NULL;
    cw_batch_pass(ctx, rank);
}

void cw_pieces_end(cw_pieces_t *p)
{
    send_filled(p);
    if (p->staged)
        cw_stage_end(&p->stage);
}

/** The first piece to another node: how do they travel? */
static void choose(cw_pieces_t *p, const cwt_target_t *t)
{
    p->target = t;
    p->staged = p->put && cw_stage_begin(&p->stage, p->ctx, p->rank, t, p->total, name_of(p));
}

/** The word of the next record, with room behind it for *n_p bytes: some of nbytes. */
static uint64_t *next_record(cw_pieces_t *p, size_t nbytes, size_t *n_p)
{
    const size_t least = nbytes < 256 ? nbytes : 256;
    size_t room = p->staged ? p->stage.room : sizeof p->message;
    if (p->nbytes + sizeof(uint64_t) + (least + 7) / 8 * 8 > room)
        send_filled(p);
    if (p->staged && p->nbytes == sizeof(cwt_header_t))
        p->body = cw_stage_body(&p->stage);
    room = (room - p->nbytes - sizeof(uint64_t)) & ~(size_t)7;
    room = room < CW_PIECE_NBYTES_MAX ? room : CW_PIECE_NBYTES_MAX;
    *n_p = nbytes < room ? nbytes : room;
    return (p->staged ? p->body : p->message) + p->nbytes / sizeof(uint64_t);
}

static void add_put(cw_pieces_t *p, uint64_t offset, const char *src, size_t nbytes)
{
    for (size_t n; nbytes > 0; offset += n, src += n, nbytes -= n) {
        uint64_t *at = next_record(p, nbytes, &n);
        size_t words = 1 + (n + 7) / 8;
        at[words - 1] = 0;  // what pads the last word
        at[0] = CW_PIECE_WORD(offset, n);
        memcpy(at + 1, src, n);
        p->nbytes += words * sizeof *at;
    }
}

/** False: no memory for an reply. */
static bool add_get(cw_pieces_t *p, uint64_t offset, void *dest, size_t nbytes)
{
    if (p->reply &&
        (p->reply->n == CW_PIECES_OF_GET || p->reply->nbytes + nbytes > CW_PIECES_PAYLOAD))
        send_message(p);
    if (!p->reply) {
        p->reply = malloc(sizeof *p->reply);
        if (!p->reply)
            return false;
        p->reply->base = (cwt_reply_t){.arrived = arrived};
        p->reply->pe = cw_ctx_pe(p->ctx, p->rank);
        p->reply->n = 0;
        p->reply->nbytes = 0;
    }
    p->message[p->nbytes / sizeof *p->message] = CW_PIECE_WORD(offset, nbytes);
    p->nbytes += sizeof *p->message;
    p->reply->piece[p->reply->n].local = dest;
    p->reply->piece[p->reply->n++].nbytes = nbytes;
    p->reply->nbytes += nbytes;
    return true;
}

void cw_pieces_add(cw_pieces_t *p, void *symmetric, void *local, size_t nbytes)
{
    uintptr_t delta = 0;
    CW_WATCH(cw_ctx_watch(p->ctx, p->put ? CW_OP_PUT_STRIDED : CW_OP_GET_STRIDED, symmetric, local,
                          nbytes, p->rank));
    const cwt_target_t *t = cw_request_reach(p->ctx, name_of(p), p->rank, &delta);
    if (!t && p->put) {
        cw_copy((char *)symmetric + delta, local, nbytes);
        cw_ctx_stored(p->ctx, p->rank);
        return;
    }
    if (!t) {
        cw_copy(local, (char *)symmetric + delta, nbytes);
        cw_get_done();
        return;
    }
    if (!p->target)
        choose(p, t);
    uint64_t offset = (uintptr_t)symmetric + t->offset;
    bool packed = offset <= CW_BATCH_OFFSET_MAX - nbytes;
    if (packed && p->put)
        add_put(p, offset, local, nbytes);
    else if (p->put)
        cw_put(p->ctx, symmetric, local, nbytes, p->rank);
    else if (!packed || !add_get(p, offset, local, nbytes))
        cw_get(p->ctx, local, symmetric, nbytes, p->rank);
}
