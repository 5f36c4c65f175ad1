// SPDX-License-Identifier: BSD-3-Clause
//
// Quiet and fence with something in flight. The transport proves its part; the port's ledger
// (core/port/port.h) says what else is due.
#include "core/observe/sources.h"
#include "core/path/bundle.h"
#include "core/path/path.h"
#include "core/port/ctx.h"
#include "core/rma/batch.h"
#include "core/rma/rma.h"
#include "core/rma/routed.h"

/** Sends bundles and batches. Lock held. */
static CW_NOINLINE void send_collected(cw_ctx_t *ctx, unsigned due)
{
    if (due & CW_BUNDLES_BUSY) {  // so it is the default port
        cw_port_held(&cw_port_default);
        cw_collect_pause(&cw_bundles.collect, CW_BUNDLE_QUIET);
    }
    if (ctx->batch)
        cw_batch_send(ctx);
}

/** Behind bundles a fence waits for everything; else as the transport has to. Lock held. */
static int order(const cw_ctx_t *ctx)
{
    if (ctx->port != &cw_port_default || !cw_bundles_take(&cw_bundles.atomics))
        return cw_transport->fence(ctx->port->client);
    cw_port_held(&cw_port_default);
    if (!cw_collect_fence(&cw_bundles.collect, cw_bundles_take(&cw_bundles.ordered)))
        return cw_transport->fence(ctx->port->client);
    int rc = cw_transport->quiet(ctx->port->client);
    cw_bundles_proved();
    return rc;
}

/** The mark CW_CTX_EMPTYING makes other threads' quiets wait, too; an operation issued meanwhile
 *  overwrites it, and the context stays marked. The lock is held to the end: else the first of two
 *  overlapping quiets would clear the mark that the second has taken. */
void cw_quiet_cold(cw_ctx_t *ctx)
{
    uintptr_t emptying = CW_CTX_EMPTYING;
    cw_port_t *port = ctx->port;
    if (CW_CHECKING())
        cw_source_end(CW_SOURCE_CONTEXT, (uintptr_t)ctx, "quiet");
    cw_port_enter(port);
    // before the transport reads the targets' marks
    uintptr_t last = __atomic_exchange_n(&ctx->last, emptying, __ATOMIC_SEQ_CST);
    unsigned due = atomic_load_explicit(&port->due, memory_order_relaxed);
    if (CW_UNLIKELY(due & CW_BUNDLES_BUSY) || CW_UNLIKELY(ctx->batch != NULL))
        send_collected(ctx, due);
    cw_path_quiet(ctx, last, due);
    if (CW_UNLIKELY(due & CW_DUE_ROUTED))
        cw_routed_drain();
    if (port->client) {
        int rc = cw_transport->quiet(port->client);
        if (rc) {
            cw_lost_grace(rc);
            cwu_fatal("quiet failed (%s)", cwu_error_name(rc));
        }
    }
    // again: what was collected has been sent
    if (CW_UNLIKELY(atomic_load_explicit(&port->due, memory_order_relaxed) & CW_BUNDLES_UNPROVED))
        cw_bundles_proved();
    __atomic_compare_exchange_n(&ctx->last, &emptying, 0, false, __ATOMIC_RELEASE,
                                __ATOMIC_RELAXED);
    cw_port_leave(port);
}

/** Straight, then routed ones. */
static int test(cw_port_t *port)
{
    int rc = port->client && !port->landed ? cw_transport->quiet_test(port->client) : 1;
    if (rc != 1 || !(cw_port_due(port) & CW_DUE_ROUTED))
        return rc;
    port->landed = true;
    return cw_routed_drain_try(&port->drain);
}

/** As cw_quiet_cold, with the same mark from the beginning on. Lock held. */
static int try_locked(cw_ctx_t *ctx)
{
    uintptr_t emptying = CW_CTX_EMPTYING;
    cwt_client_t *client = ctx->port->client;
    int rc = 1;
    if (!ctx->port->trying) {
        uintptr_t last = __atomic_exchange_n(&ctx->last, emptying, __ATOMIC_SEQ_CST);
        unsigned due = atomic_load_explicit(&ctx->port->due, memory_order_relaxed);
        if (CW_UNLIKELY(due & CW_BUNDLES_BUSY) || CW_UNLIKELY(ctx->batch != NULL))
            send_collected(ctx, due);
        cw_path_quiet(ctx, last, due);
        rc = client ? cw_transport->quiet_begin(client) : 1;
        if (rc == 0)
            return CW_EAGAIN;
        ctx->port->trying = rc == 1;
    }
    if (rc == 1)
        rc = test(ctx->port);
    if (rc < 0) {
        cw_lost_grace(rc);
        cwu_fatal("quiet failed (%s)", cwu_error_name(rc));
    }
    if (rc == 0)
        return 0;
    if (CW_CHECKING())
        cw_source_end(CW_SOURCE_CONTEXT, (uintptr_t)ctx, "quiet");
    ctx->port->trying = ctx->port->landed = false;
    __atomic_compare_exchange_n(&ctx->last, &emptying, 0, false, __ATOMIC_RELEASE,
                                __ATOMIC_RELAXED);
    return 1;
}

int cw_quiet_try(void)
{
    cw_ctx_t *ctx = &cw_ctx_default;
    if (!cw_port_try_enter(ctx->port))
        return CW_EAGAIN;  // or a first contact
    int over = try_locked(ctx);
    cw_ctx_leave(ctx);
    return over;
}

void cw_fence_cold(cw_ctx_t *ctx)
{
    // routed and straight ones have no order
    if (CW_UNLIKELY(cw_port_due(ctx->port) & CW_DUE_ROUTED)) {
        cw_quiet_cold(ctx);
        return;
    }
    cw_ctx_enter(ctx);
    if (CW_UNLIKELY(ctx->batch != NULL))
        cw_batch_send(ctx);
    if (ctx->port->client) {
        int rc = order(ctx);
        if (rc) {
            cw_lost_grace(rc);
            cwu_fatal("fence failed (%s)", cwu_error_name(rc));
        }
    }
    cw_ctx_leave(ctx);
}

void cw_quiet_rearm(cw_ctx_t *ctx)
{
    if (ctx->node == &cw_ctx_unstored)
        return;
    atomic_thread_fence(memory_order_seq_cst);
    cw_ctx_rearm(ctx);
}
