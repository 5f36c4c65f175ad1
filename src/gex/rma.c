// SPDX-License-Identifier: BSD-3-Clause
//
// GASNet-EX: transfers. The event of one is its handle. What lies in memory of clients (segments of
// further endpoints) is copied by its owner, memory of devices by devices.
#include "base/compiler.h"
#include "base/symbol.h"
#include "core/mem/foreign.h"
#include "core/observe/address.h"
#include "core/owner/copy.h"
#include "gasnet_job/sync.h"
#include "gasnet_job/transfer.h"
#include "gex/device.h"
#include "gex/gex.h"

/** Checks that the job cannot do: each endpoint has a segment of its own. */
static CW_NOINLINE CW_COLD void check(const char *call, gex_TM_t tm, gex_Rank_t rank, uint32_t pe,
                                      const void *remote, const void *local, size_t nbytes)
{
    gas_check_life(call);
    gex_check_remote(call, tm, rank, pe, remote, nbytes);
    if (!tm->is_special && nbytes > 0 && cw_foreign_holds(local))
        gas_fail(call,
                 "the local address %s is memory of a device; name the endpoint that has its "
                 "segment by a pair (gex_TM_Pair)",
                 cw_at(local, nbytes));
    cw_check_buffer(call, "the local address", local, nbytes);
}

/** In checking mode. True: done, since this thread remembers that it is right. Pairs are of the
 *  segments of first endpoints. */
static CW_ALWAYS_INLINE bool put_checked(gex_TM_t tm, gex_Rank_t rank, void *dest, const void *src,
                                         size_t nbytes, const char *call)
{
    uint32_t pe = gex_pe(tm, rank);
    if (!tm->is_special && cw_owner_put_seen(pe, dest, src, nbytes, GAS_PAIRS))
        return true;
    check(call, tm, rank, pe, dest, src, nbytes);
    return false;
}

static CW_ALWAYS_INLINE bool get_checked(gex_TM_t tm, void *dest, gex_Rank_t rank, const void *src,
                                         size_t nbytes, const char *call)
{
    uint32_t pe = gex_pe(tm, rank);
    if (!tm->is_special && cw_owner_get_seen(dest, pe, src, nbytes, GAS_PAIRS))
        return true;
    check(call, tm, rank, pe, src, dest, nbytes);
    return false;
}

// ---------------------------------------------------------------- ways of their own
static CW_NOINLINE CW_COLD gex_Event_t special_put(const char *call, gex_way_t way, gex_TM_t tm,
                                                   uint32_t pe, void *dest, const void *src,
                                                   size_t nbytes)
{
    if (way == GEX_BY_DEVICE)
        return cw_handle_make(gex_device_put(call, tm, pe, dest, src, nbytes), NULL);
    cw_handle_op_t *op = cw_handle_op_create();
    cw_owner_copy_put(pe, dest, src, nbytes, op);
    return cw_handle_make(true, op);
}

static CW_NOINLINE CW_COLD gex_Event_t special_get(const char *call, gex_way_t way, gex_TM_t tm,
                                                   void *dest, uint32_t pe, const void *src,
                                                   size_t nbytes)
{
    if (way == GEX_BY_DEVICE) {
        gex_device_get(call, tm, dest, pe, src, nbytes);
        return CW_HANDLE_DONE;
    }
    cw_handle_op_t *op = cw_handle_op_create();
    cw_owner_copy_get(dest, pe, src, nbytes, op);
    return cw_handle_make(true, op);
}

static CW_NOINLINE CW_COLD void special_put_nbi(const char *call, gex_way_t way, gex_TM_t tm,
                                                uint32_t pe, void *dest, const void *src,
                                                size_t nbytes)
{
    gex_Event_t event = special_put(call, way, tm, pe, dest, src, nbytes);
    if (way == GEX_BY_OWNER)  // no implicit operation counts messages of this kind
        cw_handle_wait(call, event);
    else if (event != CW_HANDLE_DONE)
        cw_implicit_issued();
    gas_poll_if_due();
}

/** Of one that the client has no event of. */
static void land(const char *call, gex_Event_t event)
{
    cw_handle_wait(call, event);
    gas_poll_if_due();
}

// ---------------------------------------------------------------- puts
GAS_API int gex_RMA_PutBlocking(gex_TM_t tm, gex_Rank_t rank, void *dest, const void *src,
                                size_t nbytes, gex_Flags_t flags)
{
    (void)flags;
    uint32_t pe = gex_peer(__func__, tm, rank);
    if (CW_UNLIKELY(gas.check) && put_checked(tm, rank, dest, src, nbytes, __func__)) {
        gas_poll_in_turn();
        return 0;
    }
    const gex_way_t way = gex_way(tm, pe, dest, src, nbytes);
    if (CW_UNLIKELY(way != GEX_PLAIN))
        land(__func__, special_put(__func__, way, tm, pe, dest, src, nbytes));
    else
        gas_put_blocking(pe, dest, src, nbytes, __func__);
    return 0;
}

GAS_API gex_Event_t gex_RMA_PutNB(gex_TM_t tm, gex_Rank_t rank, void *dest, const void *src,
                                  size_t nbytes, gex_Event_t *lc_opt, gex_Flags_t flags)
{
    (void)flags;
    uint32_t pe = gex_peer(__func__, tm, rank);
    if (CW_UNLIKELY(gas.check) && put_checked(tm, rank, dest, src, nbytes, __func__)) {
        gex_set_lc(lc_opt);
        return cw_handle_copied(gas_given(__func__, CW_HANDLE_DONE));
    }
    if (lc_opt != GEX_EVENT_DEFER)
        gex_set_lc(lc_opt);
    const gex_way_t way = gex_way(tm, pe, dest, src, nbytes);
    if (CW_UNLIKELY(way != GEX_PLAIN))
        return cw_handle_copied(
            gas_given(__func__, special_put(__func__, way, tm, pe, dest, src, nbytes)));
    if (lc_opt == GEX_EVENT_DEFER)
        return gas_put_nb(pe, dest, src, nbytes, true, __func__);
    return cw_handle_copied(gas_put_nb(pe, dest, src, nbytes, false, __func__));
}

GAS_API int gex_RMA_PutNBI(gex_TM_t tm, gex_Rank_t rank, void *dest, const void *src, size_t nbytes,
                           gex_Event_t *lc_opt, gex_Flags_t flags)
{
    (void)flags;
    uint32_t pe = gex_peer(__func__, tm, rank);
    if (CW_UNLIKELY(gas.check) && put_checked(tm, rank, dest, src, nbytes, __func__)) {
        gex_set_lc(lc_opt);
        return 0;
    }
    const gex_way_t way = gex_way(tm, pe, dest, src, nbytes);
    if (CW_UNLIKELY(way != GEX_PLAIN))
        special_put_nbi(__func__, way, tm, pe, dest, src, nbytes);
    else
        gas_put_nbi(pe, dest, src, nbytes, lc_opt == GEX_EVENT_DEFER, __func__);
    gex_set_lc(lc_opt);
    return 0;
}

static void check_width(const char *call, size_t nbytes)
{
    if (CW_UNLIKELY(nbytes - 1 >= sizeof(gex_RMA_Value_t)))
        gas_fail(call, "nbytes is %zu; a value has 1 to %zu bytes", nbytes,
                 sizeof(gex_RMA_Value_t));
}

static inline uint32_t check_value_call(const char *call, gex_TM_t tm, gex_Rank_t rank,
                                        const void *remote, size_t nbytes)
{
    uint32_t pe = gex_peer(call, tm, rank);
    check_width(call, nbytes);
    if (CW_UNLIKELY(gas.check))
        check(call, tm, rank, pe, remote, &nbytes, nbytes);
    return pe;
}

/** The low nbytes of a value. */
static const void *bytes_of(const gex_RMA_Value_t *value, size_t nbytes)
{
    const char *bytes = (const char *)value;
    (void)nbytes;
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    bytes += sizeof *value - nbytes;
#endif
    return bytes;
}

// Not inlined: compilers warn of sizes that check_width excludes.
static CW_NOINLINE void put_bytes(uint32_t pe, void *dest, const void *src, size_t nbytes,
                                  const char *call)
{
    gas_put_blocking(pe, dest, src, nbytes, call);
}

static CW_NOINLINE void get_bytes(void *dest, uint32_t pe, const void *src, size_t nbytes,
                                  const char *call)
{
    gas_get_blocking(dest, pe, src, nbytes, call);
}

GAS_API int gex_RMA_PutBlockingVal(gex_TM_t tm, gex_Rank_t rank, void *dest, gex_RMA_Value_t value,
                                   size_t nbytes, gex_Flags_t flags)
{
    (void)flags;
    uint32_t pe = check_value_call(__func__, tm, rank, dest, nbytes);
    const gex_way_t way = gex_way(tm, pe, dest, NULL, nbytes);
    if (CW_UNLIKELY(way != GEX_PLAIN))
        land(__func__, special_put(__func__, way, tm, pe, dest, bytes_of(&value, nbytes), nbytes));
    else
        put_bytes(pe, dest, bytes_of(&value, nbytes), nbytes, __func__);
    return 0;
}

GAS_API gex_Event_t gex_RMA_PutNBVal(gex_TM_t tm, gex_Rank_t rank, void *dest,
                                     gex_RMA_Value_t value, size_t nbytes, gex_Flags_t flags)
{
    (void)flags;
    uint32_t pe = check_value_call(__func__, tm, rank, dest, nbytes);
    const gex_way_t way = gex_way(tm, pe, dest, NULL, nbytes);
    if (CW_UNLIKELY(way != GEX_PLAIN))
        return cw_handle_copied(gas_given(
            __func__, special_put(__func__, way, tm, pe, dest, bytes_of(&value, nbytes), nbytes)));
    return cw_handle_copied(
        gas_put_nb(pe, dest, bytes_of(&value, nbytes), nbytes, false, __func__));
}

GAS_API int gex_RMA_PutNBIVal(gex_TM_t tm, gex_Rank_t rank, void *dest, gex_RMA_Value_t value,
                              size_t nbytes, gex_Flags_t flags)
{
    (void)flags;
    uint32_t pe = check_value_call(__func__, tm, rank, dest, nbytes);
    const gex_way_t way = gex_way(tm, pe, dest, NULL, nbytes);
    if (CW_UNLIKELY(way != GEX_PLAIN))
        special_put_nbi(__func__, way, tm, pe, dest, bytes_of(&value, nbytes), nbytes);
    else
        gas_put_nbi(pe, dest, bytes_of(&value, nbytes), nbytes, false, __func__);
    return 0;
}

// ---------------------------------------------------------------- gets
GAS_API int gex_RMA_GetBlocking(gex_TM_t tm, void *dest, gex_Rank_t rank, void *src, size_t nbytes,
                                gex_Flags_t flags)
{
    (void)flags;
    uint32_t pe = gex_peer(__func__, tm, rank);
    if (CW_UNLIKELY(gas.check) && get_checked(tm, dest, rank, src, nbytes, __func__)) {
        gas_poll_in_turn();
        return 0;
    }
    const gex_way_t way = gex_way(tm, pe, src, dest, nbytes);
    if (CW_UNLIKELY(way != GEX_PLAIN))
        land(__func__, special_get(__func__, way, tm, dest, pe, src, nbytes));
    else
        gas_get_blocking(dest, pe, src, nbytes, __func__);
    return 0;
}

GAS_API gex_Event_t gex_RMA_GetNB(gex_TM_t tm, void *dest, gex_Rank_t rank, void *src,
                                  size_t nbytes, gex_Flags_t flags)
{
    (void)flags;
    uint32_t pe = gex_peer(__func__, tm, rank);
    if (CW_UNLIKELY(gas.check) && get_checked(tm, dest, rank, src, nbytes, __func__))
        return gas_given(__func__, CW_HANDLE_DONE);
    const gex_way_t way = gex_way(tm, pe, src, dest, nbytes);
    if (CW_UNLIKELY(way != GEX_PLAIN))
        return gas_given(__func__, special_get(__func__, way, tm, dest, pe, src, nbytes));
    return gas_get_nb(dest, pe, src, nbytes, __func__);
}

GAS_API int gex_RMA_GetNBI(gex_TM_t tm, void *dest, gex_Rank_t rank, void *src, size_t nbytes,
                           gex_Flags_t flags)
{
    (void)flags;
    uint32_t pe = gex_peer(__func__, tm, rank);
    if (CW_UNLIKELY(gas.check) && get_checked(tm, dest, rank, src, nbytes, __func__)) {
        cw_implicit_keep_get(CWU_CALLER, (int)pe);
        return 0;
    }
    const gex_way_t way = gex_way(tm, pe, src, dest, nbytes);
    if (CW_UNLIKELY(way != GEX_PLAIN))
        land(__func__, special_get(__func__, way, tm, dest, pe, src, nbytes));
    else
        gas_get_nbi(dest, pe, src, nbytes, __func__);
    return 0;
}

GAS_API gex_RMA_Value_t gex_RMA_GetBlockingVal(gex_TM_t tm, gex_Rank_t rank, void *src,
                                               size_t nbytes, gex_Flags_t flags)
{
    (void)flags;
    uint32_t pe = check_value_call(__func__, tm, rank, src, nbytes);
    gex_RMA_Value_t value = 0;
    void *place = (void *)(uintptr_t)bytes_of(&value, nbytes);
    const gex_way_t way = gex_way(tm, pe, src, NULL, nbytes);
    if (CW_UNLIKELY(way != GEX_PLAIN))
        land(__func__, special_get(__func__, way, tm, place, pe, src, nbytes));
    else
        get_bytes(place, pe, src, nbytes, __func__);
    return value;
}
