// SPDX-License-Identifier: BSD-3-Clause
//
// GASNet-EX: vector, indexed and strided transfers (gasnet_job/vis.h). Strides are signed and the
// bytes of a region stand beside count; peer completion is a request that follows the completed
// put.
#include "gasnet_job/sync.h"
#include "gasnet_job/vis.h"
#include "gex/device.h"
#include "gex/gex.h"

_Static_assert(sizeof(gex_Memvec_t) == sizeof(cw_region_t) &&
                   offsetof(gex_Memvec_t, gex_len) == offsetof(cw_region_t, len),
               "lists of the two are lists of either");
_Static_assert(sizeof(ptrdiff_t) == sizeof(size_t), "a negative stride is a large one");

/** Peer completion of the next put of this thread. */
static _Thread_local struct {
    int handler;  // 0: none
    const void *payload;
    size_t nbytes;
} after;

_Thread_local bool gex_vis_sources CW_HIDDEN;

GAS_API void gex_VIS_SetPeerCompletionHandler(gex_AM_Index_t handler, const void *source_addr,
                                              size_t nbytes, gex_Flags_t flags)
{
    (void)flags;
    if (handler)
        gex_am_head(__func__, handler, 0, GEX_FLAG_AM_MEDIUM, true);
    if (nbytes > GEX_VIS_MAX_PEERCOMPLETION)
        gas_fail(__func__, "the payload has %zu bytes; at most %zu are possible", nbytes,
                 GEX_VIS_MAX_PEERCOMPLETION);
    after.handler = handler;
    after.payload = source_addr;
    after.nbytes = nbytes;
}

/** What EX adds to a transfer. True: peer completion follows, so the put must block. */
static bool prepare(cw_vector_t *v, gex_TM_t tm, gex_Rank_t rank)
{
    char *addr = NULL;
    size_t nbytes = 0;
    cw_vector_walk_t walk;
    cw_vector_begin(&walk, &v->remote);
    bool some;
    while ((some = cw_vector_next(&walk, &addr, &nbytes)) && nbytes == 0)
        ;  // all others are in one segment
    v->by_owner =
        v->pe != gas.me && gas.segments != GAS_EVERYTHING &&
        (tm->remote != 0 || (some && gex_way(tm, v->pe, addr, NULL, nbytes) == GEX_BY_OWNER));
    for (; CW_UNLIKELY(gas.check) && some; some = cw_vector_next(&walk, &addr, &nbytes))
        gex_check_remote(v->call, tm, rank, v->pe, addr, nbytes);
    return v->put && after.handler;
}

static void notify_peer(uint32_t pe)
{
    uint32_t head = CW_AM_HEAD(GEX_AM_CLIENT, after.handler, 0);
    after.handler = 0;
    cw_am_request_medium((int)pe, head, NULL, after.payload, after.nbytes, 0);
}

/** A put is in flight, whose completion a message follows. */
static CW_COLD bool land(const cw_vector_t *v, bool in_flight, bool notifies)
{
    if (!notifies)
        return in_flight;
    if (in_flight)
        cw_handle_quiet();
    notify_peer(v->pe);
    return false;
}

static int run_Blocking(cw_vector_t *v, gex_TM_t tm, gex_Rank_t rank, gex_Flags_t flags)
{
    (void)flags;
    bool notifies = prepare(v, tm, rank);
    if (CW_UNLIKELY(gex_device_is_in(tm, v))) {
        if (land(v, gex_device_vector(tm, v), notifies))
            cw_handle_quiet();
        return 0;
    }
    gas_vis_blocking(v);
    if (notifies)
        notify_peer(v->pe);
    return 0;
}

static gex_Event_t run_NB(cw_vector_t *v, gex_TM_t tm, gex_Rank_t rank, gex_Flags_t flags)
{
    (void)flags;
    bool notifies = prepare(v, tm, rank);
    if (CW_UNLIKELY(gex_device_is_in(tm, v)))
        return cw_handle_copied(
            gas_given(v->call, cw_handle_make(land(v, gex_device_vector(tm, v), notifies), NULL)));
    if (!notifies)
        return gas_vis_explicit(v);
    gas_vis_blocking(v);
    notify_peer(v->pe);
    return GEX_EVENT_INVALID;
}

static int run_NBI(cw_vector_t *v, gex_TM_t tm, gex_Rank_t rank, gex_Flags_t flags)
{
    bool notifies = prepare(v, tm, rank);
    if (v->put && flags & GEX_FLAG_ENABLE_LEAF_LC && !cw_implicit_in_region())
        gex_vis_sources = true;
    if (CW_UNLIKELY(gex_device_is_in(tm, v))) {
        if (land(v, gex_device_vector(tm, v), notifies))
            cw_implicit_issued();
        return 0;
    }
    if (!notifies) {
        gas_vis_implicit(v);
        return 0;
    }
    gas_vis_blocking(v);
    notify_peer(v->pe);
    return 0;
}

/** There is nothing to transfer: addresses may be anything then, and so may ranks,
 *  unless peer completion is due. */
static bool is_empty(size_t elemsz, const size_t *count, size_t levels)
{
    bool empty = elemsz == 0;
    for (size_t i = 0; i < levels && count && !empty; i++)
        empty = count[i] == 0;
    return empty;
}

/** The put that is complete without a transfer. */
static void put_nothing(const char *call, gex_TM_t tm, gex_Rank_t rank)
{
    if (after.handler)
        notify_peer(gex_peer(call, tm, rank));
}

static const cw_region_t *list(const gex_Memvec_t *memvec)
{
    return (const cw_region_t *)(const void *)memvec;
}

static const size_t *strides(const ptrdiff_t *strides)
{
    return (const size_t *)(const void *)strides;
}

#define CALLS(result, way)                                                                         \
    GAS_API result gex_VIS_VectorPut##way(gex_TM_t tm, gex_Rank_t dstrank, size_t dstcount,        \
                                          gex_Memvec_t const dstlist[], size_t srccount,           \
                                          gex_Memvec_t const srclist[], gex_Flags_t flags)         \
    {                                                                                              \
        uint32_t pe = gex_peer(__func__, tm, dstrank);                                             \
        cw_vector_t v;                                                                             \
        gas_vis_vector(&v, __func__, true, pe, dstcount, list(dstlist), srccount, list(srclist));  \
        return run_##way(&v, tm, dstrank, flags);                                                  \
    }                                                                                              \
    GAS_API result gex_VIS_VectorGet##way(                                                         \
        gex_TM_t tm, size_t dstcount, gex_Memvec_t const dstlist[], gex_Rank_t srcrank,            \
        size_t srccount, gex_Memvec_t const srclist[], gex_Flags_t flags)                          \
    {                                                                                              \
        uint32_t pe = gex_peer(__func__, tm, srcrank);                                             \
        cw_vector_t v;                                                                             \
        gas_vis_vector(&v, __func__, false, pe, srccount, list(srclist), dstcount, list(dstlist)); \
        return run_##way(&v, tm, srcrank, flags);                                                  \
    }                                                                                              \
    GAS_API result gex_VIS_IndexedPut##way(                                                        \
        gex_TM_t tm, gex_Rank_t dstrank, size_t dstcount, void *const dstlist[], size_t dstlen,    \
        size_t srccount, void *const srclist[], size_t srclen, gex_Flags_t flags)                  \
    {                                                                                              \
        uint32_t pe = gex_peer(__func__, tm, dstrank);                                             \
        cw_vector_t v;                                                                             \
        gas_vis_indexed(&v, __func__, true, pe, dstcount, dstlist, dstlen, srccount, srclist,      \
                        srclen);                                                                   \
        return run_##way(&v, tm, dstrank, flags);                                                  \
    }                                                                                              \
    GAS_API result gex_VIS_IndexedGet##way(                                                        \
        gex_TM_t tm, size_t dstcount, void *const dstlist[], size_t dstlen, gex_Rank_t srcrank,    \
        size_t srccount, void *const srclist[], size_t srclen, gex_Flags_t flags)                  \
    {                                                                                              \
        uint32_t pe = gex_peer(__func__, tm, srcrank);                                             \
        cw_vector_t v;                                                                             \
        gas_vis_indexed(&v, __func__, false, pe, srccount, srclist, srclen, dstcount, dstlist,     \
                        dstlen);                                                                   \
        return run_##way(&v, tm, srcrank, flags);                                                  \
    }                                                                                              \
    GAS_API result gex_VIS_StridedPut##way(                                                        \
        gex_TM_t tm, gex_Rank_t dstrank, void *dstaddr, const ptrdiff_t dststrides[],              \
        void *srcaddr, const ptrdiff_t srcstrides[], size_t elemsz, const size_t count[],          \
        size_t stridelevels, gex_Flags_t flags)                                                    \
    {                                                                                              \
        if (is_empty(elemsz, count, stridelevels)) {                                               \
            put_nothing(__func__, tm, dstrank);                                                    \
            return 0;                                                                              \
        }                                                                                          \
        uint32_t pe = gex_peer(__func__, tm, dstrank);                                             \
        cw_vector_t v;                                                                             \
        gas_vis_strided(&v, __func__, true, pe, dstaddr, strides(dststrides), srcaddr,             \
                        strides(srcstrides), elemsz, count, stridelevels);                         \
        return run_##way(&v, tm, dstrank, flags);                                                  \
    }                                                                                              \
    GAS_API result gex_VIS_StridedGet##way(                                                        \
        gex_TM_t tm, void *dstaddr, const ptrdiff_t dststrides[], gex_Rank_t srcrank,              \
        void *srcaddr, const ptrdiff_t srcstrides[], size_t elemsz, const size_t count[],          \
        size_t stridelevels, gex_Flags_t flags)                                                    \
    {                                                                                              \
        if (is_empty(elemsz, count, stridelevels))                                                 \
            return 0;                                                                              \
        uint32_t pe = gex_peer(__func__, tm, srcrank);                                             \
        cw_vector_t v;                                                                             \
        gas_vis_strided(&v, __func__, false, pe, srcaddr, strides(srcstrides), dstaddr,            \
                        strides(dststrides), elemsz, count, stridelevels);                         \
        return run_##way(&v, tm, srcrank, flags);                                                  \
    }
CALLS(int, Blocking)
CALLS(gex_Event_t, NB)
CALLS(int, NBI)
