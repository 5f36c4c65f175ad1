// SPDX-License-Identifier: BSD-3-Clause
//
// Strided blocks. On the node: copies. Off the node: small blocks packed in requests, larger ones
// as transfers of their own; many bytes staged (stage.h).
#include "core/bulk/strided.h"

#include "core/bulk/pieces.h"
#include "core/bulk/rows.h"
#include "core/bulk/sieve.h"
#include "core/bulk/stage.h"
#include "core/mem/foreign.h"
#include "core/observe/watch.h"
#include "core/port/ctx.h"
#include "core/rma/batch.h"
#include "core/rma/rma.h"
#include "core/rma/send.h"
#include "core/route/request.h"

#define GETS_IN_FLIGHT 4   // packed replies
#define ROWS_IN_FLIGHT 16  // gets of their own

/** Takes the first n blocks off. */
static cw_rows_t split(cw_rows_t *b, size_t n)
{
    cw_rows_t first = *b;
    first.n = n;
    b->n -= n;
    b->dest += n * (uintptr_t)b->dest_stride;
    b->src += n * (uintptr_t)b->src_stride;
    return first;
}

static cw_rows_t split_message(cw_rows_t *b, size_t room)
{
    size_t fit = room / b->nbytes;
    return split(b, fit < b->n ? fit : b->n);
}

/** Makes a request of the first blocks; returns its size. */
static size_t pack(cw_req_strided_t *req, const cwt_target_t *t, cw_rows_t *b, size_t room)
{
    cw_rows_t part = split_message(b, room - sizeof *req);
    *req = (cw_req_strided_t){.header = {.op = CW_REQ_PUT_STRIDED},
                              .offset = part.dest + t->offset,
                              .stride = part.dest_stride,
                              .block_nbytes = (uint32_t)part.nbytes,
                              .nblocks = (uint32_t)part.n};
    part.dest = (uintptr_t)(req + 1);
    part.dest_stride = (ptrdiff_t)part.nbytes;
    cw_rows_copy(&part);
    return sizeof *req + part.n * part.nbytes;
}

/** False: use another way. */
static bool put_staged(cw_ctx_t *ctx, const cwt_target_t *t, cw_rows_t b, int rank)
{
    cw_stage_t s;
    if (b.nbytes > CW_STAGE_PIECE_MAX ||
        !cw_stage_begin(&s, ctx, rank, t, b.nbytes * b.n, "strided put"))
        return false;
    while (b.n)
        cw_stage_send(&s, pack(cw_stage_body(&s), t, &b, s.room));
    cw_stage_end(&s);
    return true;
}

static void put_packed(cw_ctx_t *ctx, const cwt_target_t *t, cw_rows_t b, int rank)
{
    union {
        cw_req_strided_t req;
        char bytes[CW_MESSAGE_MAX];
    } m;
    while (b.n) {
        size_t nbytes = pack(&m.req, t, &b, sizeof m);
        cw_ctx_must(cw_ctx_request_send(ctx, rank, t->conn, &m.req.header, nbytes, NULL),
                    "strided put", ctx, rank);
    }
    cw_ctx_mark(ctx);
}

/** Requests the first blocks that fit: *part_p. */
static cw_req_strided_t ask_for(const cwt_target_t *t, cw_rows_t *b, size_t room, cw_rows_t *part_p)
{
    *part_p = split_message(b, room);
    return (cw_req_strided_t){.header = {.op = CW_REQ_GET_STRIDED},
                              .offset = part_p->src + t->offset,
                              .stride = part_p->src_stride,
                              .block_nbytes = (uint32_t)part_p->nbytes,
                              .nblocks = (uint32_t)part_p->n};
}

typedef struct gather {
    cwt_reply_t reply;  // first: `arrived` gets its address
    cw_rows_t to;
    int pe;
} gather_t;

static void gather_arrived(cwt_reply_t *reply, const void *payload, size_t nbytes)
{
    gather_t *g = (gather_t *)reply;
    if (nbytes != g->to.nbytes * g->to.n)
        cwu_fatal("strided get: %zu bytes came from PE %d instead of %zu", nbytes, g->pe,
                  g->to.nbytes * g->to.n);
    g->to.src = (uintptr_t)payload;
    g->to.src_stride = (ptrdiff_t)g->to.nbytes;
    cw_rows_copy(&g->to);
}

static void get_packed(cw_ctx_t *ctx, const cwt_target_t *t, cw_rows_t b, int rank)
{
    gather_t ring[GETS_IN_FLIGHT];
    size_t sent = 0, done = 0;
    while (b.n || done < sent) {
        if (!b.n || sent - done == GETS_IN_FLIGHT) {
            cw_ctx_must(cw_request_wait(ctx, &ring[done++ % GETS_IN_FLIGHT].reply), "strided get",
                        ctx, rank);
            continue;
        }
        gather_t *g = &ring[sent++ % GETS_IN_FLIGHT];
        *g = (gather_t){.reply = {.arrived = gather_arrived}, .pe = cw_ctx_pe(ctx, rank)};
        cw_req_strided_t req = ask_for(t, &b, CW_STRIDED_PAYLOAD, &g->to);
        g->reply.capacity = g->to.nbytes * g->to.n;
        cw_ctx_must(cw_ctx_request_send(ctx, rank, t->conn, &req.header, sizeof req, &g->reply),
                    "strided get", ctx, rank);
    }
}

static bool get_staged(cw_ctx_t *ctx, const cwt_target_t *t, cw_rows_t b, int rank)
{
    cw_stage_t s;
    cw_rows_t to = b, part;
    if (b.nbytes > CW_STAGE_PIECE_MAX ||
        !cw_stage_begin(&s, ctx, rank, t, b.nbytes * b.n, "strided get"))
        return false;
    size_t room = s.room - sizeof(cw_req_strided_t);
    while (to.n) {
        if (b.n && s.asked < s.n) {
            cw_req_strided_t req = ask_for(t, &b, room, &part);
            cw_stage_ask(&s, &req.header, sizeof req, part.nbytes * part.n);
            continue;
        }
        part = split_message(&to, room);
        part.src = (uintptr_t)cw_stage_take(&s);
        part.src_stride = (ptrdiff_t)part.nbytes;
        cw_rows_copy(&part);
    }
    cw_stage_end(&s);
    return true;
}

static void get_rows(cw_ctx_t *ctx, const cwt_target_t *t, cw_rows_t b, int rank)
{
    cwt_reply_t ring[ROWS_IN_FLIGHT];
    size_t begun = 0, done = 0;
    while (b.n || done < begun) {
        if (!b.n || begun - done == ROWS_IN_FLIGHT) {
            cw_ctx_must(cw_transport->wait(ctx->port->client, &ring[done++ % ROWS_IN_FLIGHT]),
                        "strided get", ctx, rank);
            continue;
        }
        cw_rows_t one = split(&b, 1);
        cw_ctx_must(cw_transport->get_begin(t->conn, one.src + t->offset, (void *)one.dest,
                                            one.nbytes, &ring[begun++ % ROWS_IN_FLIGHT]),
                    "strided get", ctx, rank);
    }
}

static bool get_sieved(cw_ctx_t *ctx, cw_rows_t b, int rank)
{
    uintptr_t delta;
    if (!cw_sieve_pays(b.src_stride, b.nbytes, b.n))
        return false;
    return cw_sieve_get(ctx, cw_reach(ctx, "strided get", rank, &delta), &b, rank);
}

static void put_here(cw_ctx_t *ctx, cw_rows_t b, uintptr_t delta, int rank)
{
    b.dest += delta;
    cw_rows_copy(&b);
    cw_ctx_stored(ctx, rank);
}

static void get_here(cw_rows_t b, uintptr_t delta)
{
    b.src += delta;
    cw_rows_copy(&b);
    cw_get_done();
}

static CW_NOINLINE void put_out(cw_ctx_t *ctx, cw_rows_t b, int rank)
{
    uintptr_t delta = 0;
    CW_WATCH_OR(cw_rows_watch(ctx, true, &b, rank),
                cw_foreign && cw_foreign->put_rows(ctx, &b, rank));
    const cwt_target_t *t = cw_request_reach(ctx, "strided put", rank, &delta);
    if (!t) {
        put_here(ctx, b, delta, rank);
        return;
    }
    cw_batch_pass(ctx, rank);
    if (put_staged(ctx, t, b, rank))
        return;
    if (b.nbytes < CW_PIECE_MAX) {
        put_packed(ctx, t, b, rank);
        return;
    }
    while (b.n) {
        cw_rows_t one = split(&b, 1);
        cw_put(ctx, (void *)one.dest, (const void *)one.src, one.nbytes, rank);
    }
}

static CW_NOINLINE void get_out(cw_ctx_t *ctx, cw_rows_t b, int rank)
{
    uintptr_t delta = 0;
    CW_WATCH_OR(cw_rows_watch(ctx, false, &b, rank),
                cw_foreign && cw_foreign->get_rows(ctx, &b, rank));
    const cwt_target_t *t = cw_request_reach(ctx, "strided get", rank, &delta);
    if (!t) {
        get_here(b, delta);
        return;
    }
    cw_batch_pass(ctx, rank);
    if (get_sieved(ctx, b, rank) || get_staged(ctx, t, b, rank))
        return;
    if (b.nbytes < CW_PIECE_MAX)
        get_packed(ctx, t, b, rank);
    else
        get_rows(ctx, cw_reach(ctx, "strided get", rank, &delta), b, rank);
}

bool cw_strided_staged(cw_ctx_t *ctx, bool put, void *dest, const void *src, ptrdiff_t dest_stride,
                       ptrdiff_t src_stride, size_t block_nbytes, size_t nblocks, int rank)
{
    uintptr_t delta = 0;
    cw_rows_t b = {(uintptr_t)dest, (uintptr_t)src, dest_stride, src_stride, block_nbytes, nblocks};
    if (!cw_stage_pays(block_nbytes * nblocks))
        return false;
    CW_WATCH(cw_rows_watch(ctx, put, &b, rank));
    const cwt_target_t *t =
        cw_request_reach(ctx, put ? "strided put" : "strided get", rank, &delta);
    if (!t)
        return false;
    cw_batch_pass(ctx, rank);
    return put ? put_staged(ctx, t, b, rank) : get_staged(ctx, t, b, rank);
}

/** A count that is negative ends the job. */
static CW_ALWAYS_INLINE bool is_empty(const cw_rows_t *b)
{
    if (CW_UNLIKELY((b->nbytes | b->n) > PTRDIFF_MAX))
        cw_count_refused(b->nbytes * b->n);
    return b->n == 0 || b->nbytes == 0;
}

void cw_put_strided(cw_ctx_t *ctx, void *dest, const void *src, ptrdiff_t dest_stride,
                    ptrdiff_t src_stride, size_t block_nbytes, size_t nblocks, int rank)
{
    cw_rows_t b = {(uintptr_t)dest, (uintptr_t)src, dest_stride, src_stride, block_nbytes, nblocks};
    uintptr_t word = cw_peer_word(ctx, rank);
    if (is_empty(&b))
        return;
    if (cw_word_is_local(word))
        put_here(ctx, b, word, rank);
    else
        put_out(ctx, b, rank);
}

void cw_get_strided(cw_ctx_t *ctx, void *dest, const void *src, ptrdiff_t dest_stride,
                    ptrdiff_t src_stride, size_t block_nbytes, size_t nblocks, int rank)
{
    cw_rows_t b = {(uintptr_t)dest, (uintptr_t)src, dest_stride, src_stride, block_nbytes, nblocks};
    uintptr_t word = cw_peer_word(ctx, rank);
    if (is_empty(&b))
        return;
    if (cw_word_is_local(word))
        get_here(b, word);
    else
        get_out(ctx, b, rank);
}
