// SPDX-License-Identifier: BSD-3-Clause
//
// Completion as both interfaces check it: core/owner/handle.h behind the state of the job, and in
// checking mode the handle. `call`: as the client calls it. Clients may wait for a handler by syncs
// alone: waits poll now and then, also for what is complete, and tests poll always.
#ifndef GAS_SYNC_H
#define GAS_SYNC_H

#include "base/compiler.h"
#include "gasnet_job/gas.h"
#include "gasnet_job/transfer.h"

/** The handle that a call gives to the client: in checking mode one that is waited for once. */
static inline gasnet_handle_t gas_given(const char *call, gasnet_handle_t handle)
{
    return CW_UNLIKELY(gas.check) ? cw_handle_given(call, handle) : handle;
}
/** The array may be NULL only where it has nothing. what: "handles", "events". */
static inline void gas_check_array(const char *call, const void *array, size_t n, const char *what)
{
    if (CW_UNLIKELY(!array) && n > 0)
        gas_fail(call, "the array of %zu %s is NULL", n, what);
}

/** Only in checking mode, of an array: strikes out complete ones. How many were, and are left. */
size_t gas_handles_strike(const char *call, gasnet_handle_t *handles, size_t n,
                          size_t *left_p) CW_COLD;
void gas_handle_wait(const char *call, gasnet_handle_t handle);
/** GASNET_OK or GASNET_ERR_NOT_READY. */
int gas_handle_try(const char *call, gasnet_handle_t handle);
/** True: complete. For tests of several, which have polled. */
bool gas_handle_is_over(const char *call, gasnet_handle_t handle);

void gas_implicit_wait_checked(const char *call, bool gets, bool puts);
void gas_implicit_quiet(void);
/** Nothing is in flight and there are no observers: the case that is counted in instructions. */
static CW_ALWAYS_INLINE void gas_implicit_wait(const char *call, bool gets, bool puts)
{
    if (CW_UNLIKELY(gas.slow_sync))
        gas_implicit_wait_checked(call, gets, puts);
    else if (CW_UNLIKELY(!cw_implicit_wait_fast()))
        gas_implicit_quiet();
    else
        gas_poll_if_due();
}
int gas_implicit_try(const char *call, bool gets, bool puts);
void gas_region_begin(const char *call);
gasnet_handle_t gas_region_end(const char *call);

#endif
