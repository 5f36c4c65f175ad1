// SPDX-License-Identifier: BSD-3-Clause
//
// Puts travel as the records of a batch (batch.h), which the server executes; a get sends the
// addresses and receives their bytes in one reply, which is scattered on arrival.
#include "core/rma/pieces.h"

#include <stdlib.h>

#include "core/rma/batch.h"
#include "core/rma/ctx.h"
#include "core/rma/request.h"
#include "core/rma/rma.h"

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
    *header = (cwt_header_t){.op = p->put ? CW_REQ_BATCH : CW_REQ_GET_PIECES};
    cw_pieces_reply_t *reply = p->reply;
    p->reply = NULL;
    cw_ctx_must(cw_transport->request(p->conn, header, p->nbytes, reply ? &reply->base : NULL),
                name_of(p), p->ctx, p->rank);
    cw_ctx_mark(p->ctx);
    p->conn = NULL;
    p->nbytes = sizeof *header;
}

void cw_pieces_begin(cw_pieces_t *p, cw_ctx_t *ctx, int rank, bool put)
{
    p->ctx = ctx;
    p->rank = rank;
    p->put = put;
    p->conn = NULL;
    p->nbytes = sizeof(cwt_header_t);
    p->reply = NULL;
    cw_batch_pass(ctx, rank);
}

void cw_pieces_end(cw_pieces_t *p)
{
    if (p->conn)
        send_message(p);
}

static void add_put(cw_pieces_t *p, const cwt_target_t *t, uint64_t offset, const char *src,
                    size_t nbytes)
{
    while (nbytes > 0) {
        size_t n = nbytes < CW_BATCH_PUT_MAX ? nbytes : CW_BATCH_PUT_MAX;
        size_t record = sizeof(uint64_t) + (n + 7) / 8 * 8;
        if (p->nbytes + record > sizeof p->message)
            send_message(p);
        p->conn = t->conn;
        uint64_t *at = p->message + p->nbytes / sizeof *at;
        at[record / sizeof *at - 1] = 0;  // what pads the last word
        at[0] = CW_BATCH_RECORD(offset, CW_BATCH_PUT, n);
        memcpy(at + 1, src, n);
        p->nbytes += record;
        offset += n;
        src += n;
        nbytes -= n;
    }
}

/** False: no memory for an reply. */
static bool add_get(cw_pieces_t *p, const cwt_target_t *t, uint64_t offset, void *dest,
                    size_t nbytes)
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
    p->conn = t->conn;
    p->message[p->nbytes / sizeof *p->message] = CW_GET_PIECE(offset, nbytes);
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
    const cwt_target_t *t = cw_reach(p->ctx, name_of(p), p->rank, &delta);
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
    uint64_t offset = (uintptr_t)symmetric + t->offset;
    bool packed = offset <= CW_BATCH_OFFSET_MAX - nbytes;
    if (packed && p->put)
        add_put(p, t, offset, local, nbytes);
    else if (p->put)
        cw_put(p->ctx, symmetric, local, nbytes, p->rank);
    else if (!packed || !add_get(p, t, offset, local, nbytes))
        cw_get(p->ctx, local, symmetric, nbytes, p->rank);
}
