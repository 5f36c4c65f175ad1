// SPDX-License-Identifier: BSD-3-Clause
//
// Handler-safe locks and no-interrupt sections. Handlers run only where this front end polls, and
// never in a thread that is inside a handler, a no-interrupt section or the library's own locks, so
// a section has nothing to hold back; checking mode enforces what clients must not do in it. A lock
// is a futex, in every configuration: GASNET_SEQ pays one compare-and-swap, and handlers of a PAR
// client may run in several threads.
//
//   state   0 free, 1 held, 2 held and somebody sleeps
//   owner   the holder's gas_thread_t: written by the holder only
//   below   checking mode: the lock that the holder took before this one
#include "base/clock.h"
#include "base/futex.h"
#include "gasnet/gas.h"

#define SPINS 100  // a holder is about to let go: the rules keep sections short
#define SLEEP_NS 100000000u
#define HSL_CALL static inline __attribute__((always_inline))

static _Atomic uint32_t *state_of(gasnet_hsl_t *hsl)
{
    return (_Atomic uint32_t *)&hsl->state;
}

static void check_lock(const char *call, const gasnet_hsl_t *hsl)
{
    if (!hsl)
        gas_fail(call, "the HSL is NULL");
    if (hsl->magic != GASNET_CAUSEWAY_HSL_MAGIC)
        gas_fail(call,
                 "the HSL at %p is not initialized, or destroyed; use GASNET_HSL_INITIALIZER or "
                 "gasnet_hsl_init",
                 (const void *)hsl);
}

static bool is_mine(gasnet_hsl_t *hsl)
{
    return __atomic_load_n(&hsl->owner, __ATOMIC_RELAXED) == gas_thread();
}

static void taken(gasnet_hsl_t *hsl)
{
    gas_thread_t *me = gas_thread();
    __atomic_store_n(&hsl->owner, me, __ATOMIC_RELAXED);
    if (CW_LIKELY(!gas.check))
        return;
    hsl->below = me->locks;
    me->locks = hsl;
}

static void check_before_lock(const char *call, gasnet_hsl_t *hsl)
{
    check_lock(call, hsl);
    if (is_mine(hsl))
        gas_fail(call, "this thread holds the HSL at %p already; an HSL may not be locked twice",
                 (void *)hsl);
}

static bool try_once(gasnet_hsl_t *hsl)
{
    uint32_t is_free = 0;
    return atomic_compare_exchange_strong_explicit(state_of(hsl), &is_free, 1, memory_order_acquire,
                                                   memory_order_relaxed);
}

static __attribute__((noinline)) void lock_slowly(const char *call, gasnet_hsl_t *hsl)
{
    if (is_mine(hsl))
        gas_fail(call, "this thread holds the HSL at %p already; it would wait for ever",
                 (void *)hsl);
    for (int i = 0; i < SPINS; i++) {
        if (try_once(hsl))
            return;
        cwu_cpu_pause();
    }
    while (atomic_exchange_explicit(state_of(hsl), 2, memory_order_acquire) != 0)
        cwu_futex_wait(&hsl->state, 2, SLEEP_NS);
}

HSL_CALL void lock(const char *call, gasnet_hsl_t *hsl)
{
    if (CW_UNLIKELY(gas.check))
        check_before_lock(call, hsl);
    if (CW_UNLIKELY(!try_once(hsl)))
        lock_slowly(call, hsl);
    taken(hsl);
}

HSL_CALL int trylock(const char *call, gasnet_hsl_t *hsl)
{
    if (CW_UNLIKELY(gas.check))
        check_before_lock(call, hsl);
    if (!try_once(hsl))
        return GASNET_ERR_NOT_READY;
    taken(hsl);
    return GASNET_OK;
}

static void check_unlock(const char *call, gasnet_hsl_t *hsl)
{
    gas_thread_t *me = gas_thread();
    check_lock(call, hsl);
    if (!is_mine(hsl))
        gas_fail(call, "this thread does not hold the HSL at %p", (void *)hsl);
    if (me->locks != hsl)
        gas_fail(call, "the HSL at %p was locked before the one at %p; unlock in the reverse order",
                 (void *)hsl, (void *)me->locks);
    me->locks = hsl->below;
}

static __attribute__((noinline, cold)) void unlock_slowly(const char *call, gasnet_hsl_t *hsl,
                                                          uint32_t was)
{
    if (was == 0)
        gas_fail(call, "the HSL at %p is not locked", (void *)hsl);
    cwu_futex_wake(&hsl->state, 1);
}

HSL_CALL void unlock(const char *call, gasnet_hsl_t *hsl)
{
    if (CW_UNLIKELY(gas.check))
        check_unlock(call, hsl);
    __atomic_store_n(&hsl->owner, NULL, __ATOMIC_RELAXED);
    uint32_t was = atomic_exchange_explicit(state_of(hsl), 0, memory_order_release);
    if (CW_UNLIKELY(was != 1))
        unlock_slowly(call, hsl, was);
}

HSL_CALL void init(const char *call, gasnet_hsl_t *hsl)
{
    if (gas.check && !hsl)
        gas_fail(call, "the HSL is NULL");
    *hsl = (gasnet_hsl_t)GASNET_HSL_INITIALIZER;
}

HSL_CALL void destroy(const char *call, gasnet_hsl_t *hsl)
{
    if (gas.check)
        check_lock(call, hsl);
    if (atomic_load_explicit(state_of(hsl), memory_order_relaxed) != 0)
        gas_fail(call, "the HSL at %p is locked; unlock it first", (void *)hsl);
    hsl->magic = 0;
}

// The names of both interfaces: what goes wrong is told with the one that the client called.
#define HSL(type, function, gasnet, ex)     \
    GAS_API type gasnet(gasnet_hsl_t *hsl)  \
    {                                       \
        return function(__func__, hsl);     \
    }                                       \
    GAS_API type ex(gex_HSL_t *hsl)         \
    {                                       \
        return function(__func__, hsl);     \
    }
HSL(void, lock, gasnet_hsl_lock, gex_HSL_Lock)
HSL(int, trylock, gasnet_hsl_trylock, gex_HSL_Trylock)
HSL(void, unlock, gasnet_hsl_unlock, gex_HSL_Unlock)
HSL(void, init, gasnet_hsl_init, gex_HSL_Init)
HSL(void, destroy, gasnet_hsl_destroy, gex_HSL_Destroy)

// ---------------------------------------------------------------- no-interrupt sections
static void check_section(const char *call, bool inside)
{
    const gas_thread_t *me = gas_thread();
    if (cw_am_running())
        gas_fail(call, "called inside a handler, which is a no-interrupt section already");
    if (me->locks)
        gas_fail(
            call,
            "called while this thread holds the HSL at %p, which is a no-interrupt section already",
            (void *)me->locks);
    if (me->no_interrupts != inside)
        gas_fail(call, inside ? "no section is open; call gasnet_hold_interrupts first"
                              : "a section is open already; sections do not nest");
}

GAS_API void gasnet_hold_interrupts(void)
{
    if (CW_LIKELY(!gas.check))
        return;
    check_section(__func__, false);
    gas_thread()->no_interrupts = true;
}

GAS_API void gasnet_resume_interrupts(void)
{
    if (CW_LIKELY(!gas.check))
        return;
    check_section(__func__, true);
    gas_thread()->no_interrupts = false;
}
