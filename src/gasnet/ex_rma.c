// SPDX-License-Identifier: BSD-3-Clause
//
// GASNet-EX: transfers and events. Transfers are GASNet's; an event of one is its handle. What lies
// in memory of clients (segments of further endpoints) goes by messages to the owner.
#include "gasnet/ex.h"

/** What is looked at before GASNet's transfers are called, which know neither this call nor that
 *  each endpoint has a segment of its own. */
static __attribute__((noinline, cold)) void check(const char *call, gex_TM_t tm, gex_Rank_t rank,
                                                  uint32_t pe, const void *remote,
                                                  const void *local, size_t nbytes)
{
    gas_check_life(call);
    gex_check_remote(call, tm, rank, pe, remote, nbytes);
    gas_check_local(call, "the local address", local, nbytes);
}

static inline uint32_t look(const char *call, gex_TM_t tm, gex_Rank_t rank, const void *remote,
                            const void *local, size_t nbytes)
{
    uint32_t pe = gex_peer(call, tm, rank);
    if (CW_UNLIKELY(gas.check))
        check(call, tm, rank, pe, remote, local, nbytes);
    return pe;
}

static void *plain(const void *p)
{
    return (void *)(uintptr_t)p;
}

// ---------------------------------------------------------------- by messages
static gex_Event_t far_put(uint32_t pe, void *dest, const void *src, size_t nbytes)
{
    gas_op_t *op = gas_op_create();
    gas_far_put(pe, dest, src, nbytes, op);
    return gas_handle(true, op);
}

static gex_Event_t far_get(void *dest, uint32_t pe, const void *src, size_t nbytes)
{
    gas_op_t *op = gas_op_create();
    gas_far_get(dest, pe, src, nbytes, op);
    return gas_handle(true, op);
}

// ---------------------------------------------------------------- puts
GAS_API int gex_RMA_PutBlocking(gex_TM_t tm, gex_Rank_t rank, void *dest, const void *src,
                                size_t nbytes, gex_Flags_t flags)
{
    (void)flags;
    uint32_t pe = look(__func__, tm, rank, dest, src, nbytes);
    if (gex_is_far(tm, pe, dest, nbytes))
        gex_Event_Wait(far_put(pe, dest, src, nbytes));
    else
        gasnet_put_bulk(pe, dest, plain(src), nbytes);
    return 0;
}

GAS_API gex_Event_t gex_RMA_PutNB(gex_TM_t tm, gex_Rank_t rank, void *dest, const void *src,
                                  size_t nbytes, gex_Event_t *lc_opt, gex_Flags_t flags)
{
    (void)flags;
    uint32_t pe = look(__func__, tm, rank, dest, src, nbytes);
    if (lc_opt != GEX_EVENT_DEFER)
        gex_set_lc(lc_opt);
    if (gex_is_far(tm, pe, dest, nbytes))
        return far_put(pe, dest, src, nbytes);
    return lc_opt == GEX_EVENT_DEFER ? gasnet_put_nb_bulk(pe, dest, plain(src), nbytes)
                                     : gasnet_put_nb(pe, dest, plain(src), nbytes);
}

/** Nothing implicit counts messages of this kind, so they are waited for here. */
GAS_API int gex_RMA_PutNBI(gex_TM_t tm, gex_Rank_t rank, void *dest, const void *src, size_t nbytes,
                           gex_Event_t *lc_opt, gex_Flags_t flags)
{
    (void)flags;
    uint32_t pe = look(__func__, tm, rank, dest, src, nbytes);
    if (gex_is_far(tm, pe, dest, nbytes))
        gex_Event_Wait(far_put(pe, dest, src, nbytes));
    else if (lc_opt == GEX_EVENT_DEFER)
        gasnet_put_nbi_bulk(pe, dest, plain(src), nbytes);
    else
        gasnet_put_nbi(pe, dest, plain(src), nbytes);
    gex_set_lc(lc_opt);
    return 0;
}

static void check_width(const char *call, size_t nbytes)
{
    if (CW_UNLIKELY(nbytes - 1 >= sizeof(gex_RMA_Value_t)))
        gas_fail(call, "nbytes is %zu; a value has 1 to %zu bytes", nbytes,
                 sizeof(gex_RMA_Value_t));
}

static inline uint32_t look_value(const char *call, gex_TM_t tm, gex_Rank_t rank,
                                  const void *remote, size_t nbytes)
{
    uint32_t pe = gex_peer(call, tm, rank);
    check_width(call, nbytes);
    if (CW_UNLIKELY(gas.check))
        check(call, tm, rank, pe, remote, &nbytes, nbytes);
    return pe;
}

/** Of a value, the bytes that count. */
static const void *bytes_of(const gex_RMA_Value_t *value, size_t nbytes)
{
    const char *bytes = (const char *)value;
    (void)nbytes;
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    bytes += sizeof *value - nbytes;
#endif
    return bytes;
}

GAS_API int gex_RMA_PutBlockingVal(gex_TM_t tm, gex_Rank_t rank, void *dest, gex_RMA_Value_t value,
                                   size_t nbytes, gex_Flags_t flags)
{
    (void)flags;
    uint32_t pe = look_value(__func__, tm, rank, dest, nbytes);
    if (gex_is_far(tm, pe, dest, nbytes))
        gex_Event_Wait(far_put(pe, dest, bytes_of(&value, nbytes), nbytes));
    else
        gasnet_put_val(pe, dest, value, nbytes);
    return 0;
}

GAS_API gex_Event_t gex_RMA_PutNBVal(gex_TM_t tm, gex_Rank_t rank, void *dest,
                                     gex_RMA_Value_t value, size_t nbytes, gex_Flags_t flags)
{
    (void)flags;
    uint32_t pe = look_value(__func__, tm, rank, dest, nbytes);
    if (gex_is_far(tm, pe, dest, nbytes))
        return far_put(pe, dest, bytes_of(&value, nbytes), nbytes);
    return gasnet_put_nb_val(pe, dest, value, nbytes);
}

GAS_API int gex_RMA_PutNBIVal(gex_TM_t tm, gex_Rank_t rank, void *dest, gex_RMA_Value_t value,
                              size_t nbytes, gex_Flags_t flags)
{
    (void)flags;
    uint32_t pe = look_value(__func__, tm, rank, dest, nbytes);
    if (gex_is_far(tm, pe, dest, nbytes))
        gex_Event_Wait(far_put(pe, dest, bytes_of(&value, nbytes), nbytes));
    else
        gasnet_put_nbi_val(pe, dest, value, nbytes);
    return 0;
}

// ---------------------------------------------------------------- gets
GAS_API int gex_RMA_GetBlocking(gex_TM_t tm, void *dest, gex_Rank_t rank, void *src, size_t nbytes,
                                gex_Flags_t flags)
{
    (void)flags;
    uint32_t pe = look(__func__, tm, rank, src, dest, nbytes);
    if (gex_is_far(tm, pe, src, nbytes))
        gex_Event_Wait(far_get(dest, pe, src, nbytes));
    else
        gasnet_get_bulk(dest, pe, src, nbytes);
    return 0;
}

GAS_API gex_Event_t gex_RMA_GetNB(gex_TM_t tm, void *dest, gex_Rank_t rank, void *src,
                                  size_t nbytes, gex_Flags_t flags)
{
    (void)flags;
    uint32_t pe = look(__func__, tm, rank, src, dest, nbytes);
    if (gex_is_far(tm, pe, src, nbytes))
        return far_get(dest, pe, src, nbytes);
    return gasnet_get_nb_bulk(dest, pe, src, nbytes);
}

GAS_API int gex_RMA_GetNBI(gex_TM_t tm, void *dest, gex_Rank_t rank, void *src, size_t nbytes,
                           gex_Flags_t flags)
{
    (void)flags;
    uint32_t pe = look(__func__, tm, rank, src, dest, nbytes);
    if (gex_is_far(tm, pe, src, nbytes))
        gex_Event_Wait(far_get(dest, pe, src, nbytes));
    else
        gasnet_get_nbi_bulk(dest, pe, src, nbytes);
    return 0;
}

GAS_API gex_RMA_Value_t gex_RMA_GetBlockingVal(gex_TM_t tm, gex_Rank_t rank, void *src,
                                               size_t nbytes, gex_Flags_t flags)
{
    (void)flags;
    uint32_t pe = look_value(__func__, tm, rank, src, nbytes);
    if (!gex_is_far(tm, pe, src, nbytes))
        return gasnet_get_val(pe, src, nbytes);
    gex_RMA_Value_t value = 0;
    gex_Event_Wait(far_get((void *)(uintptr_t)bytes_of(&value, nbytes), pe, src, nbytes));
    return value;
}

// ---------------------------------------------------------------- events
static bool is_over(const char *call, gex_Event_t event)
{
    if (event == GEX_EVENT_INVALID)
        return true;
    return GEX_IS_COLL(event) ? gex_coll_test(GEX_COLL(event), NULL)
                              : gas_try_handle(call, event) == GASNET_OK;
}

static void check_event(const char *call, gex_Event_t event)
{
    if (CW_UNLIKELY(event == GEX_EVENT_NO_OP))
        gas_fail(call, "GEX_EVENT_NO_OP stands for an operation that was not started");
}

GAS_API int gex_Event_Test(gex_Event_t event)
{
    gas_enter(__func__);
    check_event(__func__, event);
    if (GEX_IS_COLL(event))
        cw_am_poll();
    return is_over(__func__, event) ? GASNET_OK : GASNET_ERR_NOT_READY;
}

static void wait_event(const char *call, gex_Event_t event)
{
    gas_enter(call);
    check_event(call, event);
    if (!GEX_IS_COLL(event)) {
        gas_wait_handle(call, event);
        return;
    }
    cw_wait_t w = CW_WAIT_INIT(call);
    gas_wait_begin(&w);
    while (!gex_coll_test(GEX_COLL(event), &w))
        gas_wait_round(&w);
    cw_wait_done(&w);
}

GAS_API void gex_Event_Wait(gex_Event_t event)
{
    wait_event(__func__, event);
}

GAS_API void gex_Event_WaitAll(gex_Event_t *events, size_t numevents, gex_Flags_t flags)
{
    (void)flags;
    gas_enter(__func__);
    for (size_t i = 0; i < numevents; i++) {
        wait_event(__func__, events[i]);
        events[i] = GEX_EVENT_INVALID;
    }
}

/** Strikes out what is over: how many were, and how many are left. */
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
    gas_enter(__func__);
    cw_am_poll();
    strike(__func__, events, numevents, &left);
    return left == 0 ? GASNET_OK : GASNET_ERR_NOT_READY;
}

GAS_API int gex_Event_TestSome(gex_Event_t *events, size_t numevents, gex_Flags_t flags)
{
    size_t left;
    (void)flags;
    gas_enter(__func__);
    cw_am_poll();
    return strike(__func__, events, numevents, &left) > 0 || left == 0 ? GASNET_OK
                                                                       : GASNET_ERR_NOT_READY;
}

GAS_API void gex_Event_WaitSome(gex_Event_t *events, size_t numevents, gex_Flags_t flags)
{
    size_t left;
    (void)flags;
    gas_enter(__func__);
    cw_wait_t w = CW_WAIT_INIT(__func__);
    gas_wait_begin(&w);
    while (strike(__func__, events, numevents, &left) == 0 && left > 0)
        gas_wait_round(&w);
    cw_wait_done(&w);
}

/** The source of a transfer without copy is free when the quiet is over that its handle names; all
 *  others were free at once. */
GAS_API gex_Event_t gex_Event_QueryLeaf(gex_Event_t root, gex_EC_t category)
{
    check_event(__func__, root);
    if (category != GEX_EC_LC)
        gas_fail(__func__, "category %#x is not GEX_EC_LC", category);
    if ((uintptr_t)root & 1)
        return root;
    if (root == GEX_EVENT_INVALID || GEX_IS_COLL(root) || ((gas_op_t *)root)->epoch == 0)
        return GEX_EVENT_INVALID;
    return (gex_Event_t)(uintptr_t)((((gas_op_t *)root)->epoch - 1) << 1 | 1);
}

// ---------------------------------------------------------------- implicit operations
/** Which of GASNet's two kinds these categories are. What has only local completion has it when its
 *  call returns. */
static void kinds(const char *call, gex_EC_t mask, bool *gets_p, bool *puts_p)
{
    if (mask & ~GEX_EC_ALL)
        gas_fail(call, "mask %#x has bits that are no GEX_EC_...", mask);
    *gets_p = mask & GEX_EC_GET;
    *puts_p = mask & (GEX_EC_PUT | GEX_EC_RMW);
}

GAS_API void gex_NBI_Wait(gex_EC_t mask, gex_Flags_t flags)
{
    bool gets, puts;
    (void)flags;
    kinds(__func__, mask, &gets, &puts);
    if (gets || puts)
        gas_wait_implicit(__func__, gets, puts);
}

GAS_API int gex_NBI_Test(gex_EC_t mask, gex_Flags_t flags)
{
    bool gets, puts;
    (void)flags;
    kinds(__func__, mask, &gets, &puts);
    return gets || puts ? gas_try_implicit(__func__, gets, puts) : GASNET_OK;
}

GAS_API void gex_NBI_BeginAccessRegion(gex_Flags_t flags)
{
    (void)flags;
    gas_begin_region(__func__);
}

GAS_API gex_Event_t gex_NBI_EndAccessRegion(gex_Flags_t flags)
{
    (void)flags;
    return gas_end_region(__func__);
}
