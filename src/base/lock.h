// SPDX-License-Identifier: BSD-3-Clause
//
// A lock of this process's threads for sections of some tens of instructions: one atomic operation
// to take it and one to release it without contention, a futex sleep with it. All zero is free. Not
// recursive.
#ifndef CW_BASE_LOCK_H
#define CW_BASE_LOCK_H

#include "base/compiler.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/** 0: free; 1: held; 2: held, and a thread may sleep on it. */
typedef struct cwu_lock {
    _Atomic uint32_t state;
} cwu_lock_t;

void cwu_lock_slowly(cwu_lock_t *lock) CW_COLD;
void cwu_lock_wake(cwu_lock_t *lock) CW_COLD;

static CW_ALWAYS_INLINE bool cwu_trylock(cwu_lock_t *lock)
{
    uint32_t is_free = 0;
    return atomic_compare_exchange_strong_explicit(&lock->state, &is_free, 1, memory_order_acquire,
                                                   memory_order_relaxed);
}

static CW_ALWAYS_INLINE void cwu_lock(cwu_lock_t *lock)
{
    if (CW_UNLIKELY(!cwu_trylock(lock)))
        cwu_lock_slowly(lock);
}

static CW_ALWAYS_INLINE void cwu_unlock(cwu_lock_t *lock)
{
    if (CW_UNLIKELY(atomic_exchange_explicit(&lock->state, 0, memory_order_release) == 2))
        cwu_lock_wake(lock);
}

#endif
