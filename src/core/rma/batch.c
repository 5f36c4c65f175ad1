// SPDX-License-Identifier: BSD-3-Clause
//
// Batches: a collector for each session, which always collects.
#include "core/rma/batch.h"

#include <stdlib.h>

#include "base/clock.h"
#include "core/rma/send.h"
#include "core/route/request.h"

/** For one node, in order on one connection. */
typedef struct dest {
    cw_queue_t queue;  // first
    int node;
    cwt_conn_t *conn;
    cw_bundle_t message;
} dest_t;

typedef struct cw_batch {
    cw_collect_t collect;   // without a flusher or rule
    size_t total_ops, ops;  // announced; so far
    dest_t *of_node[];      // [nnodes], NULL until needed
} cw_batch_t;

static cw_bundle_t *take_message(cw_queue_t *q)
{
    return &((dest_t *)(void *)q)->message;
}

static void keep_message(cw_queue_t *q, cw_bundle_t *b)
{
    (void)q, (void)b;
}

static void send_message(cw_queue_t *q, bool last)
{
    const dest_t *dest = (dest_t *)(void *)q;
    cwt_header_t *header = (cwt_header_t *)(void *)q->open->word;
    (void)last;
    *header = (cwt_header_t){.op = CW_REQ_BATCH};
    int rc = cw_request_send(dest->node, dest->conn, header, q->open->nbytes, NULL);
    if (rc) {
        cw_lost_grace(rc);
        cwu_fatal("sending a batch of operations failed (%s)", cwu_error_name(rc));
    }
}

static const cw_collect_ops_t ops = {
    .take = take_message, .give = keep_message, .send = send_message, .now_ns = cwu_now_ns};

void cw_batch_send(cw_ctx_t *ctx)
{
    if (ctx->batch)
        cw_collect_flush(&ctx->batch->collect, CW_BUNDLE_ORDER);
}

void cw_batch_try_send(cw_ctx_t *ctx)
{
    if (!cw_batch_is_on(ctx) || !cw_port_try_enter(ctx->port))
        return;
    if (ctx->batch && !ctx->batch->collect.sending)
        cw_batch_send(ctx);
    cw_port_leave(ctx->port);
}

static dest_t *dest_of(cw_batch_t *batch, int node, cwt_conn_t *conn)
{
    dest_t *dest = batch->of_node[node];
    if (!dest && (dest = aligned_alloc(_Alignof(dest_t), sizeof *dest))) {
        dest->queue =
            (cw_queue_t){.most = cw_routed_is_on() ? CW_MESSAGE_MAX : cw_bundle_most(conn)};
        dest->node = node;
        dest->conn = conn;
        dest->message.serial = 0;
        batch->of_node[node] = dest;
    }
    return dest;
}

/** Lock held, session on. */
static bool append(cw_ctx_t *ctx, int pe, const cwt_target_t *t, const void *addr, unsigned kind,
                   const void *src, size_t nbytes)
{
    cw_batch_t *batch = ctx->batch;
    uint64_t offset = (uintptr_t)addr + t->offset;
    dest_t *dest =
        offset <= CW_BATCH_OFFSET_MAX ? dest_of(batch, cw_world.node_of_pe[pe], t->conn) : NULL;
    if (!dest ||
        !cw_collect_append(&batch->collect, &dest->queue, CW_BATCH_RECORD(offset, kind, nbytes),
                           src, nbytes, false, CW_COLLECT_ALWAYS, NULL))
        return false;
    if (++batch->ops >= batch->total_ops) {
        batch->ops = 0;
        cw_batch_send(ctx);
    }
    return true;
}

static bool take(cw_ctx_t *ctx, int rank, const cwt_target_t *t, const void *addr, unsigned kind,
                 const void *src, size_t nbytes)
{
    if (cw_routed_is_on())
        cw_routed_connect(cw_ctx_node(ctx, rank));  // takes the lock
    cw_ctx_enter(ctx);
    bool taken = ctx->batch && append(ctx, cw_ctx_pe(ctx, rank), t, addr, kind, src, nbytes);
    if (taken)
        cw_ctx_mark(ctx);
    cw_ctx_leave(ctx);
    return taken;
}

void cw_batch_send_node(cw_ctx_t *ctx, int rank)
{
    cw_ctx_enter(ctx);
    dest_t *dest =
        ctx->batch ? ctx->batch->of_node[cw_world.node_of_pe[cw_ctx_pe(ctx, rank)]] : NULL;
    if (dest && dest->queue.open)
        cw_collect_send(&ctx->batch->collect, &dest->queue, CW_BUNDLE_ORDER);
    cw_ctx_leave(ctx);
}

void cw_batch_pass_held(cw_ctx_t *ctx, int rank)
{
    cw_bundles_pause(CW_BUNDLE_ORDER);
    if (cw_batch_is_on(ctx))
        cw_batch_send_node(ctx, rank);
}

bool cw_batch_take_put(cw_ctx_t *ctx, int rank, const cwt_target_t *t, const void *dest,
                       const void *src, size_t nbytes)
{
    if (nbytes == 0)
        return true;  // a record without bytes would end the batch at its server
    if (nbytes <= CW_BATCH_PUT_MAX && take(ctx, rank, t, dest, CW_BATCH_PUT, src, nbytes))
        return true;
    cw_batch_send_node(ctx, rank);
    return false;
}

bool cw_batch_take_amo(cw_ctx_t *ctx, int rank, const cwt_target_t *t, const void *addr,
                       cw_amo_op_t op, size_t nbytes, uint64_t operand)
{
    // the NIC's and the CPU's atomics must not be mixed on a word; little-endian
    if (!cw_world.nic_atomics &&
        take(ctx, rank, t, addr, CW_BATCH_AMO + (unsigned)op, &operand, nbytes))
        return true;
    cw_batch_send_node(ctx, rank);
    return false;
}

/** Lock held. */
static void set_batch(cw_ctx_t *ctx, cw_batch_t *batch)
{
    __atomic_store_n(&ctx->batch, batch, __ATOMIC_RELAXED);
}

void cw_ctx_batch_start(cw_ctx_t *ctx, size_t total_ops)
{
    if (cw_world.nnodes == 1)
        return;
    cw_ctx_enter(ctx);
    if (!ctx->batch && cw_words_need_base(ctx) == CW_OK)
        set_batch(ctx, calloc(1, sizeof(cw_batch_t) + (size_t)cw_world.nnodes * sizeof(dest_t *)));
    if (ctx->batch) {  // no memory: no session, which is a hint
        ctx->batch->collect.ops = &ops;
        ctx->batch->total_ops = total_ops;
        ctx->batch->ops = 0;
        cw_words_choose(ctx);
    }
    cw_ctx_leave(ctx);
}

void cw_ctx_batch_stop(cw_ctx_t *ctx)
{
    cw_ctx_enter(ctx);
    cw_batch_t *batch = ctx->batch;
    cw_batch_send(ctx);
    set_batch(ctx, NULL);
    if (batch)
        cw_words_choose(ctx);
    cw_ctx_leave(ctx);
    cw_batch_destroy(batch);
}

void cw_batch_destroy(cw_batch_t *batch)
{
    for (int node = 0; batch && node < cw_world.nnodes; node++)
        free(batch->of_node[node]);
    free(batch);
}
