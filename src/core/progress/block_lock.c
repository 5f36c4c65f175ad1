// SPDX-License-Identifier: BSD-3-Clause
//
// The table of locks, and waiting for one.
#include "core/progress/block_lock.h"

#include "base/clock.h"
#include "base/futex.h"
#include "core/progress/hooks.h"

#define SPINS 100            // turns before sleeping: a holder that runs is about to release
#define SLEEP_NS 100000000u  // no wake-up is missed; the holder's process may have ended

static uint64_t table_nbytes(void)
{
    return sizeof(cw_block_lock_t) << CW_BLOCK_LOCKS_SHIFT;
}

cw_section_t cw_block_section = {.in = CW_SECTION_CONTROL, .align = 64, .nbytes = table_nbytes};

static bool take_as(cwu_lock_t *lock, uint32_t held)
{
    uint32_t state = atomic_load_explicit(&lock->state, memory_order_relaxed);
    return state == 0 &&
           atomic_compare_exchange_strong_explicit(&lock->state, &state, held, memory_order_acquire,
                                                   memory_order_relaxed);
}

/** A thread that has slept holds the lock as one that is slept on: others may sleep on it still. */
static CW_COLD void take_slowly(cwu_lock_t *lock)
{
    for (uint32_t held = CWU_LOCK_HELD;; held = CWU_LOCK_SLEPT_ON) {
        for (int i = 0; i < SPINS; i++) {
            if (take_as(lock, held))
                return;
            cwu_cpu_pause();
        }
        // pairs with cwu_unlock, which wakes when it finds that
        if (atomic_exchange_explicit(&lock->state, CWU_LOCK_SLEPT_ON, memory_order_acquire) == 0)
            return;
        cwu_futex_wait((const uint32_t *)&lock->state, CWU_LOCK_SLEPT_ON, SLEEP_NS);
        (void)cw_progress_hooks.mind_neighbours();
    }
}

void cw_block_lock_take(cwu_lock_t *lock)
{
    if (CW_UNLIKELY(!cwu_trylock(lock)))
        take_slowly(lock);
}
