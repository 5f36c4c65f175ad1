// SPDX-License-Identifier: BSD-3-Clause
//
// The slow paths of the lock: waiting for it, and waking a waiter.
#include "base/lock.h"

#include "base/clock.h"
#include "base/futex.h"
#include "base/wait.h"

static bool take_as(cwu_lock_t *lock, uint32_t held)
{
    uint32_t state = atomic_load_explicit(&lock->state, memory_order_relaxed);
    return state == 0 &&
           atomic_compare_exchange_strong_explicit(&lock->state, &state, held, memory_order_acquire,
                                                   memory_order_relaxed);
}

/** A thread that has slept holds the lock as one that is slept on: others may sleep on it still. */
void cwu_lock_slowly_and(cwu_lock_t *lock, void (*awoken)(void))
{
    const cwu_wait_plan_t plan = cwu_wait_plan(CWU_WAIT_LOCK, false);
    for (uint32_t held = CWU_LOCK_HELD;; held = CWU_LOCK_SLEPT_ON) {
        for (uint32_t i = 0; i < plan.polls; i++) {
            if (take_as(lock, held))
                return;
            cwu_cpu_pause();
        }
        // pairs with cwu_unlock, which wakes when it finds that
        if (atomic_exchange_explicit(&lock->state, CWU_LOCK_SLEPT_ON, memory_order_acquire) == 0)
            return;
        cwu_futex_wait((const uint32_t *)&lock->state, CWU_LOCK_SLEPT_ON, plan.first_ns);
        awoken();
    }
}

static void do_nothing(void)
{
}

void cwu_lock_slowly(cwu_lock_t *lock)
{
    cwu_lock_slowly_and(lock, do_nothing);
}

void cwu_lock_wake(cwu_lock_t *lock)
{
    cwu_futex_wake((uint32_t *)&lock->state, 1);
}
