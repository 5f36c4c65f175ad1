// SPDX-License-Identifier: BSD-3-Clause
//
// Contexts: their first store, and failures.
#include "core/port/ctx.h"

#include <time.h>

#include "base/clock.h"
#include "base/wait.h"
#include "core/world/job.h"

// ---------------------------------------------------------------- contexts without stores

cw_node_hot_t cw_ctx_unstored = {.sleepers = 1};

/** Puts of a NOSTORE context within the node are stores, too. To notice the first one after a quiet
 *  for free, the context's `node` leads to a word that claims sleepers: that put calls cw_ctx_wake,
 *  which restores the real word. */
void cw_ctx_rearm(cw_ctx_t *ctx)
{
    if (ctx->rearms)
        ctx->node = &cw_ctx_unstored;
}

void cw_ctx_wake(cw_ctx_t *ctx, int rank)
{
    if (ctx->node == &cw_ctx_unstored) {
        ctx->node = cw_hot.node;
        if (!atomic_load_explicit(&ctx->node->sleepers, memory_order_relaxed))
            return;
    }
    cw_wake(cw_ctx_pe(ctx, rank));
}

// ---------------------------------------------------------------- failures

// The launcher, which knows how a peer has ended, may speak first, and may be busy ending many PEs.
#define LOST_GRACE_NS (CWU_WAIT_NS(GRACE) + CWU_WAIT_NS(SAFEGUARD))
#define MOST_GRACES 20

void cw_lost_grace(int rc)
{
    if (rc != CW_ELOST)
        return;
    int graces = 0;
    do {
        struct timespec left = {.tv_nsec = LOST_GRACE_NS};
        while (nanosleep(&left, &left) != 0)
            ;
    } while (cw_job_is_ended() && ++graces < MOST_GRACES);
}

void cw_failed(int rc, const char *call, int pe)
{
    cw_lost_grace(rc);
    if (rc == CW_ECOUNT)
        cw_check_failed(call, "the count is negative or absurd");
    if (pe < 0)
        cwu_fatal("%s failed (%s)", call, cwu_error_name(rc));
    cwu_fatal("%s to PE %d failed (%s)", call, pe, cwu_error_name(rc));
}

void cw_ctx_failed(int rc, const char *call, const cw_ctx_t *ctx, int rank)
{
    cw_failed(rc, call, cw_ctx_pe(ctx, rank));
}

void cw_lost(int rc)
{
    static atomic_ullong since;
    unsigned long long now = cwu_now_ns(), none = 0;
    if (!atomic_compare_exchange_strong(&since, &none, now) && now - none > LOST_GRACE_NS &&
        !cw_job_is_ended())
        cwu_fatal("this PE waits, perhaps for what never comes: a connection to another node was "
                  "lost, and the launcher has not ended the job (%s)",
                  cwu_error_name(rc));
}
