// SPDX-License-Identifier: BSD-3-Clause
//
// Batches. In a session that batches, small puts and atomics without a reply are collected per node
// and travel as one request, which the node server executes in order.
//
// A batch is sent when its message is full, when it holds as many operations as were announced,
// before another operation to the same node, in fence and quiet, at the end of the session, and
// while a thread of this PE waits. So no operation is delayed that a waiting PE depends on, and
// their order is unchanged. Local operations are not affected.
// Threads: everything under the context's lock (cw_ctx_enter).
#ifndef CW_CORE_BATCH_H
#define CW_CORE_BATCH_H

#include "core/rma/amo.h"
#include "core/rma/bundle.h"
#include "core/rma/ctx.h"

#define CW_BATCH_PUT_MAX 1024u  // bytes of a batched put; fits the record's size field

/** Takes the operation if a session is on and it is small enough. Else false, and what was
 *  collected for that node has been sent. t: the record of `rank`, connected. Takes the lock. */
bool cw_batch_take_put(cw_ctx_t *ctx, int rank, const cwt_target_t *t, const void *dest,
                       const void *src, size_t nbytes);
bool cw_batch_take_amo(cw_ctx_t *ctx, int rank, const cwt_target_t *t, const void *addr,
                       cw_amo_op_t op, size_t nbytes, uint64_t operand);
/** Sends what was collected for the node of `rank`. Takes the lock. */
void cw_batch_send_node(cw_ctx_t *ctx, int rank);

static inline bool cw_batch_put(cw_ctx_t *ctx, int rank, const cwt_target_t *t, const void *dest,
                                const void *src, size_t nbytes)
{
    return cw_batch_is_on(ctx) && cw_batch_take_put(ctx, rank, t, dest, src, nbytes);
}

static inline bool cw_batch_amo(cw_ctx_t *ctx, int rank, const cwt_target_t *t, const void *addr,
                                cw_amo_op_t op, size_t nbytes, uint64_t operand)
{
    return cw_batch_is_on(ctx) && cw_batch_take_amo(ctx, rank, t, addr, op, nbytes, operand);
}

/** Before an operation that is not batched. */
static inline void cw_batch_pass(cw_ctx_t *ctx, int rank)
{
    cw_bundles_pause(CW_BUNDLE_ORDER);
    if (cw_batch_is_on(ctx))
        cw_batch_send_node(ctx, rank);
}

/** Sends everything. Lock held. */
void cw_batch_send(cw_ctx_t *ctx);
/** From a wait: sends everything, unless it is this session's own send that waits, or another
 *  thread has the lock. */
void cw_batch_try_send(cw_ctx_t *ctx);
void cw_batch_destroy(struct cw_batch *batch);

#endif
