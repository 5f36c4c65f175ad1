// SPDX-License-Identifier: BSD-3-Clause
//
// Syncs of both interfaces: checks before core/owner/handle.h.
#include "gasnet_job/sync.h"

// ---------------------------------------------------------------- checking mode
static void check_handle(const char *call, gasnet_handle_t handle)
{
    char origin[CW_KNOWN_TEXT];
    if (!cw_handle_is_known(handle))
        gas_fail(call, "%p is no handle that a call of this process returned", handle);
    if (cw_handle_is_spent(handle, origin, sizeof origin))
        gas_fail(call, "the handle %p was waited for already; %s", handle, origin);
}

static CW_NOINLINE CW_COLD void wait_checked(const char *call, gasnet_handle_t handle)
{
    check_handle(call, handle);
    cw_handle_wait(call, handle);
    cw_handle_spend(call, handle);
}

static CW_NOINLINE CW_COLD bool is_over_checked(const char *call, gasnet_handle_t handle)
{
    check_handle(call, handle);
    if (!cw_handle_test(handle))
        return false;
    cw_handle_spend(call, handle);
    return true;
}

size_t gas_handles_strike(const char *call, gasnet_handle_t *handles, size_t n, size_t *left_p)
{
    size_t struck = 0, left = 0;
    for (size_t i = 0; i < n; i++) {
        if (handles[i] == GASNET_INVALID_HANDLE)
            continue;
        if (is_over_checked(call, handles[i])) {
            handles[i] = GASNET_INVALID_HANDLE;
            struck++;
        } else {
            left++;
        }
    }
    *left_p = left;
    return struck;
}

// ---------------------------------------------------------------- handles
void gas_handle_wait(const char *call, gasnet_handle_t handle)
{
    gas_enter(call);
    if (CW_UNLIKELY(gas.check))
        wait_checked(call, handle);
    else
        cw_handle_wait(call, handle);
    gas_poll_if_due();
}

bool gas_handle_is_over(const char *call, gasnet_handle_t handle)
{
    return CW_UNLIKELY(gas.check) ? is_over_checked(call, handle) : cw_handle_test(handle);
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
    if (gas.check && puts)
        cw_implicit_end_sources(call);
    if (gas.check && gets)
        cw_implicit_end_gets();
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
    if (!cw_implicit_test(gets, puts))
        return GASNET_ERR_NOT_READY;
    if (gas.check && puts)
        cw_implicit_end_sources(call);
    if (gas.check && gets)
        cw_implicit_end_gets();
    return GASNET_OK;
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
    gasnet_handle_t handle = gas_given(call, cw_implicit_end_region());
    if (gas.check)
        cw_implicit_move_sources(handle);
    return handle;
}
