// SPDX-License-Identifier: BSD-3-Clause
//
// Counts arrived PEs, and waits for the last.
#include "core/mem/gather.h"

#include <limits.h>

#include "base/clock.h"
#include "base/futex.h"
#include "base/wait.h"
#include "core/mem/segment.h"
#include "core/world/startup.h"

static void (*on_gathered)(void);

static _Atomic uint32_t *attached(void)
{
    return &cw_segment.control->attached;
}

static uint32_t all(void)
{
    return (uint32_t)cw_world.nslots;
}

void cw_gather_arrive(void (*gathered)(void))
{
    on_gathered = gathered;
    // Releases my slice, acquires those before: the last PE has all.
    if (atomic_fetch_add(attached(), 1) + 1 < all())
        return;
    if (all() > 1)
        cwu_futex_wake((uint32_t *)attached(), INT_MAX);
    cw_gather_try();
}

/** Counts from the begin of shmem_init, whichever call waits. */
static void check_patience(uint32_t n)
{
    if (cwu_now_ns() - cw_startup_begin_ns() > (uint64_t)cwu_env.timeout * 1000000000u)
        cwu_fatal("only %u of the %u PEs of this node came to %s within %ld s (CAUSEWAY_TIMEOUT)",
                  n, all(), cw_world.init_call, cwu_env.timeout);
}

bool cw_gather_poll(void)
{
    if (cw_gathered())
        return true;
    // pairs with cw_gather_arrive
    if (atomic_load_explicit(attached(), memory_order_acquire) < all())
        return false;
    on_gathered();  // two threads may: they store the same
    atomic_store_explicit(&cw_world.gathered, true, memory_order_release);
    return true;
}

bool cw_gather_try(void)
{
    bool gathered = cw_gather_poll();
    if (!gathered)
        check_patience(atomic_load_explicit(attached(), memory_order_relaxed));
    return gathered;
}

void cw_gather_all(void)
{
    uint64_t start = cwu_now_ns();
    uint32_t n = atomic_load_explicit(attached(), memory_order_acquire);
    if (n < all()) {
        const cwu_wait_plan_t plan = cwu_wait_plan(CWU_WAIT_SYNC, false);
        for (uint64_t ns = 0; n < all();
             n = atomic_load_explicit(attached(), memory_order_acquire)) {
            check_patience(n);
            cwu_futex_wait((uint32_t *)attached(), n, ns = cwu_wait_longer(&plan, ns));
        }
        cw_startup_add(CW_PHASE_NODE_WAIT, start);
    }
    cw_gather_try();
}
