// SPDX-License-Identifier: BSD-3-Clause
//
// A lock of this process's threads for sections of some tens of instructions: one atomic operation
// to take it and one to release it without contention, a futex sleep with it. All zero is free. Not
// recursive. It is taken by setting a bit, which on x86-64 is one instruction and a branch.
#ifndef CW_BASE_LOCK_H
#define CW_BASE_LOCK_H

#include "base/compiler.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define CWU_LOCK_HELD 1u
#define CWU_LOCK_SLEPT_ON 3u  // held, and a thread may sleep on it

/** 0: free; else CWU_LOCK_... */
typedef struct cwu_lock {
    _Atomic uint32_t state;
} cwu_lock_t;

void cwu_lock_slowly(cwu_lock_t *lock) CW_COLD;
/** For locks between processes: calls `awoken` after each sleep, of .1 s at most. */
void cwu_lock_slowly_and(cwu_lock_t *lock, void (*awoken)(void)) CW_COLD;
void cwu_lock_wake(cwu_lock_t *lock) CW_COLD;

static CW_ALWAYS_INLINE bool cwu_trylock(cwu_lock_t *lock)
{
    // a lock that is held stays as it is: both of its states have the bit
    return !(atomic_fetch_or_explicit(&lock->state, CWU_LOCK_HELD, memory_order_acquire) &
             CWU_LOCK_HELD);
}

/** The same, two instructions shorter on x86-64, where the compiler keeps nothing in memory that it
 *  will look for behind it. */
static CW_ALWAYS_INLINE bool cwu_trylock_jump(cwu_lock_t *lock)
{
#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__)  // the bit goes nowhere but to a jump
    bool held;
    __asm__ volatile("lock btsl $0, %1" : "=@ccc"(held), "+m"(lock->state) : : "memory");
    return !held;
#else
    return cwu_trylock(lock);
#endif
}

static CW_ALWAYS_INLINE void cwu_lock(cwu_lock_t *lock)
{
    if (CW_UNLIKELY(!cwu_trylock(lock)))
        cwu_lock_slowly(lock);
}

/** True: a thread may sleep on it, so the caller must call cwu_lock_wake soon. */
static CW_ALWAYS_INLINE bool cwu_unlock_silently(cwu_lock_t *lock)
{
    return CW_UNLIKELY(atomic_exchange_explicit(&lock->state, 0, memory_order_release) ==
                       CWU_LOCK_SLEPT_ON);
}

static CW_ALWAYS_INLINE void cwu_unlock(cwu_lock_t *lock)
{
    if (cwu_unlock_silently(lock))
        cwu_lock_wake(lock);
}

#endif
