// SPDX-License-Identifier: BSD-3-Clause
//
// Handler-safe locks. Handlers run only where GASNet polls, and never in a thread that is inside a
// handler, a no-interrupt section or the library's own locks, so a lock has nothing to hold back;
// checking mode enforces what clients must not do under it. A lock is a futex, in every
// configuration: GASNET_SEQ pays one atomic operation, and handlers of a PAR client may run in
// several threads. Inlined into the calls of both interfaces; `call` is the one of the client.
//
//   state   a lock of base/lock.h
//   owner   the holder's gas_thread_t: written by the holder only
//   below   checking mode: the lock that the holder took before this one
#ifndef GAS_HSL_H
#define GAS_HSL_H

#include "base/compiler.h"
#include "base/lock.h"
#include "gasnet_job/gas.h"

// hsl.c
void gas_hsl_check_before_lock(const char *call, gasnet_hsl_t *hsl);
void gas_hsl_lock_slowly(const char *call, gasnet_hsl_t *hsl);
/** The holder, and in checking mode its list of locks. */
void gas_hsl_taken(gasnet_hsl_t *hsl);
void gas_hsl_check_unlock(const char *call, gasnet_hsl_t *hsl);
/** was: the state before. */
void gas_hsl_unlock_slowly(const char *call, gasnet_hsl_t *hsl, uint32_t was) CW_COLD;
void gas_hsl_init(const char *call, gasnet_hsl_t *hsl);
void gas_hsl_destroy(const char *call, gasnet_hsl_t *hsl);

static CW_ALWAYS_INLINE cwu_lock_t *gas_hsl_lock_of(gasnet_hsl_t *hsl)
{
    return (cwu_lock_t *)(void *)&hsl->state;
}
_Static_assert(sizeof(((gasnet_hsl_t *)0)->state) == sizeof(cwu_lock_t), "a lock of base");

static CW_ALWAYS_INLINE void gas_hsl_lock(const char *call, gasnet_hsl_t *hsl)
{
    if (CW_UNLIKELY(gas.check))
        gas_hsl_check_before_lock(call, hsl);
    if (CW_UNLIKELY(!cwu_trylock(gas_hsl_lock_of(hsl))))
        gas_hsl_lock_slowly(call, hsl);
    gas_hsl_taken(hsl);
}

static CW_ALWAYS_INLINE int gas_hsl_trylock(const char *call, gasnet_hsl_t *hsl)
{
    if (CW_UNLIKELY(gas.check))
        gas_hsl_check_before_lock(call, hsl);
    if (!cwu_trylock(gas_hsl_lock_of(hsl)))
        return GASNET_ERR_NOT_READY;
    gas_hsl_taken(hsl);
    return GASNET_OK;
}

static CW_ALWAYS_INLINE void gas_hsl_unlock(const char *call, gasnet_hsl_t *hsl)
{
    if (CW_UNLIKELY(gas.check))
        gas_hsl_check_unlock(call, hsl);
    __atomic_store_n(&hsl->owner, NULL, __ATOMIC_RELAXED);
    cwu_lock_t *lock = gas_hsl_lock_of(hsl);
    uint32_t was = atomic_exchange_explicit(&lock->state, 0, memory_order_release);
    if (CW_UNLIKELY(was != CWU_LOCK_HELD))
        gas_hsl_unlock_slowly(call, hsl, was);
}

#endif
