// SPDX-License-Identifier: BSD-3-Clause
//
// Handler-safe locks and no-interrupt sections of GASNet-1. A section holds nothing back, as
// handlers run only in polls; checking mode enforces what clients must not do in it.
#include "gasnet_job/hsl.h"

GAS_API void gasnet_hsl_lock(gasnet_hsl_t *hsl)
{
    gas_hsl_lock(__func__, hsl);
}

GAS_API int gasnet_hsl_trylock(gasnet_hsl_t *hsl)
{
    return gas_hsl_trylock(__func__, hsl);
}

GAS_API void gasnet_hsl_unlock(gasnet_hsl_t *hsl)
{
    gas_hsl_unlock(__func__, hsl);
}

GAS_API void gasnet_hsl_init(gasnet_hsl_t *hsl)
{
    gas_hsl_init(__func__, hsl);
}

GAS_API void gasnet_hsl_destroy(gasnet_hsl_t *hsl)
{
    gas_hsl_destroy(__func__, hsl);
}

// ---------------------------------------------------------------- no-interrupt sections
static void check_section(const char *call, bool inside)
{
    const gas_thread_t *me = gas_thread();
    if (cw_am_running())
        gas_fail(call, "called inside a handler, which is a no-interrupt section already");
    if (me->locks)
        gas_fail(
            call,
            "called while this thread holds the HSL at %s, which is a no-interrupt section already",
            cw_at(me->locks, 1));
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
    cw_known_forget();
}

GAS_API void gasnet_resume_interrupts(void)
{
    if (CW_LIKELY(!gas.check))
        return;
    check_section(__func__, true);
    gas_thread()->no_interrupts = false;
}
