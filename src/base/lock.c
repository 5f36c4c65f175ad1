// SPDX-License-Identifier: BSD-3-Clause
//
// The slow paths of the lock: waiting for it, and waking a waiter.
#include "base/lock.h"

#include "base/clock.h"
#include "base/futex.h"

#define SPINS 100            // turns before sleeping: the holder is about to release
#define SLEEP_NS 100000000u  // no wake-up is missed; the time-out bounds the cost of an error here

void cwu_lock_slowly(cwu_lock_t *lock)
{
    for (int i = 0; i < SPINS; i++) {
        if (atomic_load_explicit(&lock->state, memory_order_relaxed) == 0 && cwu_trylock(lock))
            return;
        cwu_cpu_pause();
    }
    while (atomic_exchange_explicit(&lock->state, CWU_LOCK_SLEPT_ON, memory_order_acquire) != 0)
        cwu_futex_wait((const uint32_t *)&lock->state, CWU_LOCK_SLEPT_ON, SLEEP_NS);
}

void cwu_lock_wake(cwu_lock_t *lock)
{
    cwu_futex_wake((uint32_t *)&lock->state, 1);
}
