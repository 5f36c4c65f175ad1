// SPDX-License-Identifier: BSD-3-Clause
//
// Handler-safe locks: the slow paths and the checks.
#include "gasnet_job/hsl.h"

static void check_lock(const char *call, const gasnet_hsl_t *hsl)
{
    if (!hsl)
        gas_fail(call, "the HSL is NULL");
    if (hsl->magic != GASNET_CAUSEWAY_HSL_MAGIC)
        gas_fail(call,
                 "the HSL at %s is not initialized, or destroyed; use GASNET_HSL_INITIALIZER or "
                 "gasnet_hsl_init",
                 cw_at(hsl, sizeof *hsl));
}

static bool is_mine(gasnet_hsl_t *hsl)
{
    return __atomic_load_n(&hsl->owner, __ATOMIC_RELAXED) == gas_thread();
}

void gas_hsl_taken(gasnet_hsl_t *hsl)
{
    gas_thread_t *me = gas_thread();
    __atomic_store_n(&hsl->owner, me, __ATOMIC_RELAXED);
    if (CW_LIKELY(!gas.check))
        return;
    hsl->below = me->locks;
    me->locks = hsl;
    cw_known_forget();
}

void gas_hsl_check_before_lock(const char *call, gasnet_hsl_t *hsl)
{
    check_lock(call, hsl);
    if (is_mine(hsl))
        gas_fail(call, "this thread holds the HSL at %s already; an HSL may not be locked twice",
                 cw_at(hsl, sizeof *hsl));
}

void gas_hsl_lock_slowly(const char *call, gasnet_hsl_t *hsl)
{
    if (is_mine(hsl)) {
        gas_exit_resume();  // a handler, in gasnet_exit, which may be called while locks are held
        gas_fail(call, "this thread holds the HSL at %s already; it would wait for ever",
                 cw_at(hsl, sizeof *hsl));
    }
    cwu_lock_slowly(gas_hsl_lock_of(hsl));
}

void gas_hsl_check_unlock(const char *call, gasnet_hsl_t *hsl)
{
    gas_thread_t *me = gas_thread();
    check_lock(call, hsl);
    if (!is_mine(hsl))
        gas_fail(call, "this thread does not hold the HSL at %s", cw_at(hsl, sizeof *hsl));
    if (me->locks != hsl)
        gas_fail(call, "the HSL at %s was locked before the one at %s; unlock in the reverse order",
                 cw_at(hsl, sizeof *hsl), cw_at(me->locks, sizeof *hsl));
    me->locks = hsl->below;
}

void gas_hsl_unlock_slowly(const char *call, gasnet_hsl_t *hsl, uint32_t was)
{
    if (was == 0)
        gas_fail(call, "the HSL at %s is not locked", cw_at(hsl, sizeof *hsl));
    cwu_lock_wake(gas_hsl_lock_of(hsl));
}

void gas_hsl_init(const char *call, gasnet_hsl_t *hsl)
{
    if (gas.check && !hsl)
        gas_fail(call, "the HSL is NULL");
    *hsl = (gasnet_hsl_t)GASNET_HSL_INITIALIZER;
}

void gas_hsl_destroy(const char *call, gasnet_hsl_t *hsl)
{
    if (gas.check)
        check_lock(call, hsl);
    if (__atomic_load_n(&hsl->state, __ATOMIC_RELAXED) != 0)
        gas_fail(call, "the HSL at %s is locked; unlock it first", cw_at(hsl, sizeof *hsl));
    hsl->magic = 0;
}
