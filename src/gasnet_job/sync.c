// SPDX-License-Identifier: BSD-3-Clause
//
// Syncs of both interfaces: checks before core/owner/handle.h.
#include "gasnet_job/sync.h"

void gas_check_handle(const char *call, gasnet_handle_t handle)
{
    if (CW_UNLIKELY(gas.check) && !cw_handle_is_known(handle))
        gas_fail(call, "%p is no handle that a call of this process returned", handle);
}

void gas_handle_wait(const char *call, gasnet_handle_t handle)
{
    gas_enter(call);
    gas_check_handle(call, handle);
    cw_handle_wait(call, handle);
    gas_poll_if_due();
}

bool gas_handle_is_over(const char *call, gasnet_handle_t handle)
{
    gas_check_handle(call, handle);
    return cw_handle_test(handle);
}

int gas_handle_try(const char *call, gasnet_handle_t handle)
{
    gas_enter(call);
    cw_am_poll();
    return gas_handle_is_over(call, handle) ? GASNET_OK : GASNET_ERR_NOT_READY;
}

// ---------------------------------------------------------------- implicit operations
static void check_outside_region(const char *call)
{
    gas_enter(call);
    if (gas.check && cw_implicit_in_region())
        gas_fail(call, "called inside an access region; end it first");
}

void gas_implicit_wait_checked(const char *call, bool gets, bool puts)
{
    check_outside_region(call);
    cw_implicit_wait(call, gets, puts);
    gas_poll_if_due();
}

void gas_implicit_quiet(void)
{
    cw_handle_quiet();
    gas_poll_if_due();
}

int gas_implicit_try(const char *call, bool gets, bool puts)
{
    check_outside_region(call);
    cw_am_poll();
    return cw_implicit_test(gets, puts) ? GASNET_OK : GASNET_ERR_NOT_READY;
}

void gas_region_begin(const char *call)
{
    gas_enter(call);
    if (cw_implicit_in_region())
        gas_fail(call, "an access region is open already; end it first");
    cw_implicit_begin_region();
}

gasnet_handle_t gas_region_end(const char *call)
{
    gas_enter(call);
    if (!cw_implicit_in_region())
        gas_fail(call, "no access region is open; begin one first");
    return cw_implicit_end_region();
}
