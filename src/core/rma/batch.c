// SPDX-License-Identifier: BSD-3-Clause
//
// Batches: one message per node, filled under the lock of the port.
#include "core/rma/batch.h"

#include <stdlib.h>

#include "core/rma/request.h"
#include "core/rma/send.h"

/** One node's message while it is filled. */
typedef struct bundle {
    struct bundle *next;  // of those that hold something
    int node;
    cwt_conn_t *conn;
    size_t nbytes, capacity;
    cw_req_batch_t req;  // its records follow
} bundle_t;

typedef struct cw_batch {
    size_t total_ops, ops;  // announced; so far
    bundle_t *filled;
    bundle_t *of_node[];  // [nnodes], NULL until needed
} cw_batch_t;

static void send_bundle(cw_batch_t *batch, bundle_t *b)
{
    bundle_t **at = &batch->filled;
    while (*at != b)
        at = &(*at)->next;
    *at = b->next;
    b->req.header = (cwt_header_t){.op = CW_REQ_BATCH};
    int rc = cw_request_send(b->node, b->conn, &b->req.header, b->nbytes, NULL);
    b->nbytes = sizeof b->req;
    if (rc) {
        cw_lost_grace(rc);
        cwu_fatal("sending a batch of operations failed (%s)", cwu_error_name(rc));
    }
}

void cw_batch_send(cw_ctx_t *ctx)
{
    cw_batch_t *batch = ctx->batch;
    while (batch && batch->filled)
        send_bundle(batch, batch->filled);
}

/** Bytes of a node's message: whole, unless fewer operations are announced than would fill it. */
static size_t capacity_for(size_t total_ops, const cwt_conn_t *conn)
{
    size_t small = sizeof(cw_req_batch_t) + sizeof(uint64_t) + CW_BATCH_PUT_MAX;
    size_t most = cw_routed_is_on() ? CW_MESSAGE_MAX : cw_bundle_most(conn),
           record = 2 * sizeof(uint64_t);
    if (total_ops >= (most - small) / record)
        return most;
    return small + total_ops * record;
}

static bundle_t *bundle_of(cw_batch_t *batch, int node, cwt_conn_t *conn)
{
    if (!batch->of_node[node]) {
        size_t capacity = capacity_for(batch->total_ops, conn);
        bundle_t *b = malloc(offsetof(bundle_t, req) + capacity);
        if (!b)
            return NULL;
        b->node = node;
        b->conn = conn;
        b->capacity = capacity;
        b->nbytes = sizeof b->req;
        batch->of_node[node] = b;
    }
    return batch->of_node[node];
}

/** Appends one record. Lock held, session on. */
static bool append(cw_ctx_t *ctx, int pe, const cwt_target_t *t, const void *addr, unsigned kind,
                   const void *src, size_t nbytes)
{
    cw_batch_t *batch = ctx->batch;
    uint64_t offset = (uintptr_t)addr + t->offset;
    size_t record = sizeof(uint64_t) + (nbytes + 7) / 8 * 8;
    bundle_t *b =
        offset <= CW_BATCH_OFFSET_MAX ? bundle_of(batch, cw_world.node_of_pe[pe], t->conn) : NULL;
    if (!b)
        return false;
    if (b->nbytes + record > b->capacity)
        send_bundle(batch, b);
    if (b->nbytes == sizeof b->req) {
        b->next = batch->filled;
        batch->filled = b;
    }
    uint64_t *at = (uint64_t *)(void *)((char *)&b->req + b->nbytes);
    at[(record / sizeof *at) - 1] = 0;  // what pads the last word
    at[0] = CW_BATCH_RECORD(offset, kind, nbytes);
    memcpy(at + 1, src, nbytes);
    b->nbytes += record;
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
        cw_routed_connect(cw_ctx_node(ctx, rank));  // which takes the lock
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
    bundle_t *b =
        ctx->batch ? ctx->batch->of_node[cw_world.node_of_pe[cw_ctx_pe(ctx, rank)]] : NULL;
    if (b && b->nbytes > sizeof b->req)
        send_bundle(ctx->batch, b);
    cw_ctx_leave(ctx);
}

bool cw_batch_take_put(cw_ctx_t *ctx, int rank, const cwt_target_t *t, const void *dest,
                       const void *src, size_t nbytes)
{
    if (nbytes <= CW_BATCH_PUT_MAX && take(ctx, rank, t, dest, CW_BATCH_PUT, src, nbytes))
        return true;
    cw_batch_send_node(ctx, rank);
    return false;
}

bool cw_batch_take_amo(cw_ctx_t *ctx, int rank, const cwt_target_t *t, const void *addr,
                       cw_amo_op_t op, size_t nbytes, uint64_t operand)
{
    // atomics of the NIC and of the CPU must not be mixed on a word; operand: little-endian
    if (!cw_world.nic_atomics &&
        take(ctx, rank, t, addr, CW_BATCH_AMO + (unsigned)op, &operand, nbytes))
        return true;
    cw_batch_send_node(ctx, rank);
    return false;
}

/** Lock held. Other threads test without it whether there is a session, and then again under it. */
static void set_batch(cw_ctx_t *ctx, cw_batch_t *batch)
{
    __atomic_store_n(&ctx->batch, batch, __ATOMIC_RELAXED);
}

void cw_ctx_batch_start(cw_ctx_t *ctx, size_t total_ops)
{
    if (cw_world.nnodes == 1)
        return;  // nothing leaves the node
    cw_ctx_enter(ctx);
    if (!ctx->batch && cw_words_need_base(ctx) == CW_OK)
        set_batch(ctx,
                  calloc(1, sizeof(cw_batch_t) + (size_t)cw_world.nnodes * sizeof(bundle_t *)));
    if (ctx->batch) {  // no memory: no session, which is only a hint
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
