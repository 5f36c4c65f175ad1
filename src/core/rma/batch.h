// SPDX-License-Identifier: BSD-3-Clause
//
// Batches: a session collects small puts and atomics without a result per node, into one request
// that the node server executes in order.
//
// A batch leaves when it is full, has as many operations as announced, before another operation to
// that node, at fence, quiet and the session's end, and while a thread of this PE waits: no waiting
// PE is delayed, and the order is unchanged.
//
// Threads: all under the context's lock (cw_ctx_enter).
#ifndef CW_CORE_BATCH_H
#define CW_CORE_BATCH_H

#include "core/path/bundle.h"
#include "core/port/ctx.h"
#include "core/rma/amo.h"

#define CW_BATCH_PUT_MAX 1024u  // bytes; fits the record's size field

/** Takes a small operation in a session. False: what was collected for that node has been sent. t:
 *  of `rank`, connected. Takes the lock. */
bool cw_batch_take_put(cw_ctx_t *ctx, int rank, const cwt_target_t *t, const void *dest,
                       const void *src, size_t nbytes);
bool cw_batch_take_amo(cw_ctx_t *ctx, int rank, const cwt_target_t *t, const void *addr,
                       cw_amo_op_t op, size_t nbytes, uint64_t operand);
/** For the node of `rank`. Takes the lock. */
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

void cw_batch_pass_held(cw_ctx_t *ctx, int rank) CW_COLD;
/** Before an operation that is not batched. */
static inline void cw_batch_pass(cw_ctx_t *ctx, int rank)
{
    if (CW_UNLIKELY(cw_ctx_holds_back(ctx)))
        cw_batch_pass_held(ctx, rank);
}

/** All. Lock held. */
void cw_batch_send(cw_ctx_t *ctx);
/** From a wait: sends all, unless this session is sending, or another thread has the lock. */
void cw_batch_try_send(cw_ctx_t *ctx);
void cw_batch_destroy(struct cw_batch *batch);

#endif
