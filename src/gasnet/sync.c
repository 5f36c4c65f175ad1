// SPDX-License-Identifier: BSD-3-Clause
//
// GASNet-1: syncs of explicit handles, of arrays of them, of implicit operations and of access
// regions.
#include "gasnet_job/sync.h"

// ---------------------------------------------------------------- one handle
GAS_API void gasnet_wait_syncnb(gasnet_handle_t handle)
{
    gas_handle_wait(__func__, handle);
}

GAS_API int gasnet_try_syncnb(gasnet_handle_t handle)
{
    return gas_handle_try(__func__, handle);
}

// ---------------------------------------------------------------- arrays of handles
static void check_array(const char *call, const gasnet_handle_t *handles, size_t n)
{
    gas_enter(call);
    gas_check_array(call, handles, n, "handles");
}

static CW_NOINLINE CW_COLD void wait_all_checked(const char *call, gasnet_handle_t *handles,
                                                 size_t n)
{
    for (size_t i = 0; i < n; i++) {
        gas_handle_wait(call, handles[i]);
        handles[i] = GASNET_INVALID_HANDLE;
    }
}

static CW_NOINLINE CW_COLD void wait_some_checked(const char *call, gasnet_handle_t *handles,
                                                  size_t n)
{
    size_t left;
    cw_wait_t w = CW_WAIT_INIT(call);
    gas_wait_begin(&w);
    while (gas_handles_strike(call, handles, n, &left) == 0 && left > 0)
        gas_wait_round(&w);
    cw_wait_done(&w);
}

static CW_NOINLINE CW_COLD bool test_checked(const char *call, gasnet_handle_t *handles, size_t n,
                                             bool all)
{
    size_t left, struck = gas_handles_strike(call, handles, n, &left);
    return left == 0 || (!all && struck > 0);
}

GAS_API void gasnet_wait_syncnb_all(gasnet_handle_t *handles, size_t numhandles)
{
    check_array(__func__, handles, numhandles);
    if (CW_UNLIKELY(gas.check))
        wait_all_checked(__func__, handles, numhandles);
    else
        cw_handle_wait_all(__func__, handles, numhandles);
    gas_poll_if_due();
}

GAS_API int gasnet_try_syncnb_all(gasnet_handle_t *handles, size_t numhandles)
{
    check_array(__func__, handles, numhandles);
    cw_am_poll();
    bool over = CW_UNLIKELY(gas.check) ? test_checked(__func__, handles, numhandles, true)
                                       : cw_handle_test_all(handles, numhandles);
    return over ? GASNET_OK : GASNET_ERR_NOT_READY;
}

GAS_API void gasnet_wait_syncnb_some(gasnet_handle_t *handles, size_t numhandles)
{
    check_array(__func__, handles, numhandles);
    if (CW_UNLIKELY(gas.check))
        wait_some_checked(__func__, handles, numhandles);
    else
        cw_handle_wait_some(__func__, handles, numhandles);
    gas_poll_if_due();
}

GAS_API int gasnet_try_syncnb_some(gasnet_handle_t *handles, size_t numhandles)
{
    check_array(__func__, handles, numhandles);
    cw_am_poll();
    bool over = CW_UNLIKELY(gas.check) ? test_checked(__func__, handles, numhandles, false)
                                       : cw_handle_test_some(handles, numhandles);
    return over ? GASNET_OK : GASNET_ERR_NOT_READY;
}

// ---------------------------------------------------------------- implicit operations
GAS_API void gasnet_wait_syncnbi_gets(void)
{
    gas_implicit_wait(__func__, true, false);
}

GAS_API void gasnet_wait_syncnbi_puts(void)
{
    gas_implicit_wait(__func__, false, true);
}

GAS_API void gasnet_wait_syncnbi_all(void)
{
    gas_implicit_wait(__func__, true, true);
}

GAS_API int gasnet_try_syncnbi_gets(void)
{
    return gas_implicit_try(__func__, true, false);
}

GAS_API int gasnet_try_syncnbi_puts(void)
{
    return gas_implicit_try(__func__, false, true);
}

GAS_API int gasnet_try_syncnbi_all(void)
{
    return gas_implicit_try(__func__, true, true);
}

GAS_API void gasnet_begin_nbi_accessregion(void)
{
    gas_region_begin(__func__);
}

GAS_API gasnet_handle_t gasnet_end_nbi_accessregion(void)
{
    return gas_region_end(__func__);
}
