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
/** Handlers and holders of a lock are in such a section anyway: their calls are ignored. */
static void set_section(const char *call, bool begins)
{
    gas_thread_t *me = gas_thread();
    if (cw_am_running() || me->locks)
        return;
    if (me->no_interrupts == begins)
        gas_fail(call, begins ? "a section is open already; sections do not nest"
                              : "no section is open; call gasnet_hold_interrupts first");
    me->no_interrupts = begins;
    cw_known_forget();
}

GAS_API void gasnet_hold_interrupts(void)
{
    if (CW_UNLIKELY(gas.check))
        set_section(__func__, true);
}

GAS_API void gasnet_resume_interrupts(void)
{
    if (CW_UNLIKELY(gas.check))
        set_section(__func__, false);
}
