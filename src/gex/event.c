// SPDX-License-Identifier: BSD-3-Clause
//
// GASNet-EX: events of transfers and collectives, and implicit operations.
#include "gasnet_job/sync.h"
#include "gex/gex.h"

static bool is_over(const char *call, gex_Event_t event)
{
    if (event == GEX_EVENT_INVALID)
        return true;
    return GEX_IS_COLL(event) ? gex_coll_test(GEX_COLL(event), NULL)
                              : gas_handle_is_over(call, event);
}

static void check_event(const char *call, gex_Event_t event)
{
    if (CW_UNLIKELY(event == GEX_EVENT_NO_OP))
        gas_fail(call, "GEX_EVENT_NO_OP stands for an operation that was not started");
    if (CW_UNLIKELY(gas.check) && GEX_IS_COLL(event))
        gex_event_check(call, event);
}

GAS_API int gex_Event_Test(gex_Event_t event)
{
    gas_enter(__func__);
    check_event(__func__, event);
    cw_am_poll();
    return is_over(__func__, event) ? GASNET_OK : GASNET_ERR_NOT_READY;
}

static void wait_event(const char *call, gex_Event_t event)
{
    gas_enter(call);
    check_event(call, event);
    if (!GEX_IS_COLL(event)) {
        gas_handle_wait(call, event);
        return;
    }
    cw_wait_t w = CW_WAIT_INIT(call);
    gas_wait_begin(&w);
    while (!gex_coll_test(GEX_COLL(event), &w)) {
        w.on = &gas_wait_collective;
        gas_wait_round(&w);
    }
    cw_wait_done(&w);
}

GAS_API void gex_Event_Wait(gex_Event_t event)
{
    wait_event(__func__, event);
}

static void check_events(const char *call, const gex_Event_t *events, size_t n)
{
    gas_enter(call);
    gas_check_array(call, events, n, "events");
}

GAS_API void gex_Event_WaitAll(gex_Event_t *events, size_t numevents, gex_Flags_t flags)
{
    (void)flags;
    check_events(__func__, events, numevents);
    for (size_t i = 0; i < numevents; i++) {
        wait_event(__func__, events[i]);
        events[i] = GEX_EVENT_INVALID;
    }
}

/** Strikes out complete events: how many were, and how many are left. */
static size_t strike(const char *call, gex_Event_t *events, size_t numevents, size_t *left_p)
{
    size_t struck = 0, left = 0;
    for (size_t i = 0; i < numevents; i++) {
        if (events[i] == GEX_EVENT_INVALID)
            continue;
        check_event(call, events[i]);
        if (is_over(call, events[i])) {
            events[i] = GEX_EVENT_INVALID;
            struck++;
        } else {
            left++;
        }
    }
    *left_p = left;
    return struck;
}

GAS_API int gex_Event_TestAll(gex_Event_t *events, size_t numevents, gex_Flags_t flags)
{
    size_t left;
    (void)flags;
    check_events(__func__, events, numevents);
    cw_am_poll();
    strike(__func__, events, numevents, &left);
    return left == 0 ? GASNET_OK : GASNET_ERR_NOT_READY;
}

GAS_API int gex_Event_TestSome(gex_Event_t *events, size_t numevents, gex_Flags_t flags)
{
    size_t left;
    (void)flags;
    check_events(__func__, events, numevents);
    cw_am_poll();
    return strike(__func__, events, numevents, &left) > 0 || left == 0 ? GASNET_OK
                                                                       : GASNET_ERR_NOT_READY;
}

GAS_API void gex_Event_WaitSome(gex_Event_t *events, size_t numevents, gex_Flags_t flags)
{
    size_t left;
    (void)flags;
    check_events(__func__, events, numevents);
    cw_wait_t w = CW_WAIT_INIT(__func__);
    gas_wait_begin(&w);
    while (strike(__func__, events, numevents, &left) == 0 && left > 0)
        gas_wait_round(&w);
    cw_wait_done(&w);
}

/** The source of a transfer without copy is free when the transfer's quiet is over; all others were
 *  free at once. */
GAS_API gex_Event_t gex_Event_QueryLeaf(gex_Event_t root, gex_EC_t category)
{
    check_event(__func__, root);
    if (category != GEX_EC_LC)
        gas_fail(__func__, "category %#x is not GEX_EC_LC", category);
    if (GEX_IS_COLL(root))
        return GEX_EVENT_INVALID;
    gex_Event_t leaf = cw_handle_of_source(root);
    if (CW_UNLIKELY(gas.check))
        cw_handle_forget_source(root);  // it is the leaf's, which need not be waited for
    // one of its own, which need not be waited for: the root still must
    return CW_UNLIKELY(gas.check) && leaf ? cw_handle_make(true, NULL) : leaf;
}

// ---------------------------------------------------------------- implicit operations
/** Which of the two kinds of implicit operations these categories are. Operations with only local
 *  completion have it when their call returns, but for vectors, which have it as puts. */
static void kinds(const char *call, gex_EC_t mask, bool *gets_p, bool *puts_p)
{
    if (mask != GEX_EC_ALL && mask & ~(GEX_EC_PUT | GEX_EC_GET | GEX_EC_AM | GEX_EC_RMW))
        gas_fail(call, "mask %#x has bits that are no GEX_EC_...", mask);
    *gets_p = mask & GEX_EC_GET;
    *puts_p = mask & ((GEX_EC_PUT & ~GEX_EC_LC) | GEX_EC_RMW) ||
              (mask & GEX_EC_LC && CW_UNLIKELY(gex_vis_sources));
}

GAS_API void gex_NBI_Wait(gex_EC_t mask, gex_Flags_t flags)
{
    bool gets, puts;
    (void)flags;
    kinds(__func__, mask, &gets, &puts);
    if (gets || puts)
        gas_implicit_wait(__func__, gets, puts);
    if (puts)
        gex_vis_sources = false;
}

GAS_API int gex_NBI_Test(gex_EC_t mask, gex_Flags_t flags)
{
    bool gets, puts;
    (void)flags;
    kinds(__func__, mask, &gets, &puts);
    int result = gets || puts ? gas_implicit_try(__func__, gets, puts) : GASNET_OK;
    if (puts && result == GASNET_OK)
        gex_vis_sources = false;
    return result;
}

GAS_API void gex_NBI_BeginAccessRegion(gex_Flags_t flags)
{
    (void)flags;
    gas_region_begin(__func__);
}

GAS_API gex_Event_t gex_NBI_EndAccessRegion(gex_Flags_t flags)
{
    (void)flags;
    return gas_region_end(__func__);
}
