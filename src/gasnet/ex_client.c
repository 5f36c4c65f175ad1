// SPDX-License-Identifier: BSD-3-Clause
//
// GASNet-EX: client, endpoint, segment, questions about the job. There is one of each in a process.
#include <stdlib.h>
#include <string.h>

#include "gasnet/ex.h"

gex_state_t gex;

void gex_check_rank(const char *call, gex_TM_t tm, gex_Rank_t rank)
{
    if (!gex.begun)
        gas_fail(call, "called before gex_Client_Init");
    if (!tm)
        gas_fail(call, "the team is GEX_TM_INVALID");
    if (rank >= tm->size)
        gas_fail(call, "there is no rank %u: the team has %u", rank, tm->size);
}

// ---------------------------------------------------------------- client
GAS_API int gex_causeway_client_init(gex_Client_t *client_p, gex_EP_t *ep_p, gex_TM_t *tm_p, const char *name,
                                     int *argc, char ***argv, gex_Flags_t flags, int mode, const char *config)
{
    if (gex.begun || !name || !client_p || !ep_p || !tm_p) {
        gex_error("gex_Client_Init: %s", gex.begun ? "called a second time: there is one client in a process"
                                                   : "name and pointers must not be NULL");
        return GASNET_ERR_BAD_ARG;
    }
    int error = gasnet_causeway_init(argc, argv, mode, config);
    // The whole area, which costs nothing before it is touched; gex_Segment_Attach says how much of it is the segment.
    if (!error)
        error = gasnet_attach(NULL, 0, gas.segments == GAS_EVERYTHING ? 0 : gasnet_getMaxLocalSegmentSize(), 0);
    if (error)
        return error;
    gex.client = (struct gex_causeway_client){.name = strdup(name), .flags = flags};
    gex.world.rank = gas.me;
    gex.world.size = gas.nodes;
    gex.begun = true;
    gex_am_open();
    gex_coll_open();
    gex_tm_begin(&gex.world, 0);
    cw_barrier(cw_group_world);  // nobody sends before all can receive
    *client_p = &gex.client;
    *ep_p = &gex.ep;
    *tm_p = &gex.world;
    return GASNET_OK;
}

GAS_API const char *gex_Client_QueryName(gex_Client_t client)
{
    return client->name;
}

GAS_API gex_Flags_t gex_Client_QueryFlags(gex_Client_t client)
{
    return client->flags;
}

GAS_API void *gex_Client_QueryCData(gex_Client_t client)
{
    return client->cdata;
}

GAS_API void gex_Client_SetCData(gex_Client_t client, const void *cdata)
{
    client->cdata = (void *)(uintptr_t)cdata;
}

// ---------------------------------------------------------------- endpoint
GAS_API gex_Client_t gex_EP_QueryClient(gex_EP_t ep)
{
    (void)ep;
    return &gex.client;
}

GAS_API gex_EP_Index_t gex_EP_QueryIndex(gex_EP_t ep)
{
    (void)ep;
    return 0;
}

GAS_API gex_Flags_t gex_EP_QueryFlags(gex_EP_t ep)
{
    (void)ep;
    return 0;
}

GAS_API gex_Segment_t gex_EP_QuerySegment(gex_EP_t ep)
{
    return ep->segment;
}

GAS_API void *gex_EP_QueryCData(gex_EP_t ep)
{
    return ep->cdata;
}

GAS_API void gex_EP_SetCData(gex_EP_t ep, const void *cdata)
{
    ep->cdata = (void *)(uintptr_t)cdata;
}

// ---------------------------------------------------------------- segment
GAS_API int gex_Segment_Attach(gex_Segment_t *segment_p, gex_TM_t tm, uintptr_t nbytes)
{
    uintptr_t most;
    void *area = gas_area(&most);
    bool everything = gas.segments == GAS_EVERYTHING;
    if (!segment_p || tm != &gex.world || gex.ep.segment) {
        gex_error("gex_Segment_Attach: %s", gex.ep.segment
                                                ? "the endpoint has a segment already"
                                                : "wants a place for the segment, and the team of gex_Client_Init");
        return GASNET_ERR_BAD_ARG;
    }
    if (!everything && (nbytes % GASNET_PAGESIZE || nbytes > gasnet_getMaxLocalSegmentSize())) {
        gex_error("gex_Segment_Attach: %zu bytes are no multiple of GASNET_PAGESIZE (%d) up to %zu (GASNET_MAX_SEGSIZE "
                  "sets it)",
                  (size_t)nbytes, GASNET_PAGESIZE, (size_t)gasnet_getMaxLocalSegmentSize());
        return GASNET_ERR_BAD_ARG;
    }
    uintptr_t *sizes = calloc(gas.nodes, sizeof *sizes);
    if (!sizes)
        return GASNET_ERR_RESOURCE;
    gex.segment =
        (struct gex_causeway_segment){.addr = everything ? NULL : area, .nbytes = everything ? UINTPTR_MAX : nbytes};
    gex_coll_gather(tm, sizes, &gex.segment.nbytes, sizeof *sizes);
    gex.segment_size = sizes;
    gex.ep.segment = &gex.segment;
    gex_coll_barrier(tm);
    *segment_p = &gex.segment;
    return GASNET_OK;
}

GAS_API gex_Client_t gex_Segment_QueryClient(gex_Segment_t segment)
{
    (void)segment;
    return &gex.client;
}

GAS_API gex_Flags_t gex_Segment_QueryFlags(gex_Segment_t segment)
{
    (void)segment;
    return 0;
}

GAS_API void *gex_Segment_QueryAddr(gex_Segment_t segment)
{
    return segment->addr;
}

GAS_API uintptr_t gex_Segment_QuerySize(gex_Segment_t segment)
{
    return segment->nbytes;
}

GAS_API void *gex_Segment_QueryCData(gex_Segment_t segment)
{
    return segment->cdata;
}

GAS_API void gex_Segment_SetCData(gex_Segment_t segment, const void *cdata)
{
    segment->cdata = (void *)(uintptr_t)cdata;
}

GAS_API int gex_Segment_QueryBound(gex_TM_t tm, gex_Rank_t rank, void **owneraddr_p, void **localaddr_p,
                                   uintptr_t *size_p)
{
    uint32_t pe = gex_peer(__func__, tm, rank);
    uintptr_t nbytes = gex.segment_size ? gex.segment_size[pe] : 0, owner = nbytes ? gas.segment[pe].addr : 0;
    uintptr_t word = gas_word(pe);
    bool mapped = nbytes && !(word & 1) && gas.segments != GAS_EVERYTHING;
    if (owneraddr_p)
        *owneraddr_p = (void *)owner;
    if (localaddr_p)
        *localaddr_p = mapped ? (void *)(owner + (word & ~(uintptr_t)3)) : NULL;
    if (size_p)
        *size_p = nbytes;
    return !nbytes;
}

GAS_API gex_Event_t gex_EP_QueryBoundSegmentNB(gex_TM_t tm, gex_Rank_t rank, void **owneraddr_p, void **localaddr_p,
                                               uintptr_t *size_p, gex_Flags_t flags)
{
    (void)flags;
    gex_Segment_QueryBound(tm, rank, owneraddr_p, localaddr_p, size_p);
    return GEX_EVENT_INVALID;
}

// ---------------------------------------------------------------- the job
GAS_API gex_Rank_t gex_System_QueryJobRank(void)
{
    return gas.me;
}

GAS_API gex_Rank_t gex_System_QueryJobSize(void)
{
    return gas.nodes;
}

static gex_RankInfo_t *my_node(void)
{
    static gex_RankInfo_t *info;
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&lock);
    if (!info && (info = calloc((size_t)cw_world.nslots, sizeof *info)))
        for (int slot = 0; slot < cw_world.nslots; slot++)
            info[slot].gex_jobrank = (gex_Rank_t)cw_world.pes_of_node[slot];
    pthread_mutex_unlock(&lock);
    if (!info)
        cwu_fatal("gex_System_QueryNbrhdInfo: out of memory");
    return info;
}

/** A neighborhood is a host is a node of this library. */
GAS_API void gex_System_QueryNbrhdInfo(gex_RankInfo_t **info_p, gex_Rank_t *count_p, gex_Rank_t *mine_p)
{
    gex_check_rank(__func__, &gex.world, 0);
    if (info_p)
        *info_p = my_node();
    if (count_p)
        *count_p = (gex_Rank_t)cw_world.nslots;
    if (mine_p)
        *mine_p = (gex_Rank_t)cw_world.slot;
}

GAS_API void gex_System_QueryHostInfo(gex_RankInfo_t **info_p, gex_Rank_t *count_p, gex_Rank_t *mine_p)
{
    gex_System_QueryNbrhdInfo(info_p, count_p, mine_p);
}

GAS_API void gex_System_QueryMyPosition(gex_Rank_t *nbrhds_p, gex_Rank_t *my_nbrhd_p, gex_Rank_t *hosts_p,
                                        gex_Rank_t *my_host_p)
{
    gex_check_rank(__func__, &gex.world, 0);
    if (nbrhds_p)
        *nbrhds_p = (gex_Rank_t)cw_world.nnodes;
    if (my_nbrhd_p)
        *my_nbrhd_p = (gex_Rank_t)cw_world.node;
    if (hosts_p)
        *hosts_p = (gex_Rank_t)cw_world.nnodes;
    if (my_host_p)
        *my_host_p = (gex_Rank_t)cw_world.node;
}

GAS_API uint64_t gex_System_QueryMaxThreads(void)
{
    return gas.threads == GAS_PAR ? 65536 : 1;
}

/** Handlers run in threads of the client, never in hidden ones. */
GAS_API int gex_System_QueryHiddenAMConcurrencyLevel(void)
{
    return 0;
}

GAS_API int gex_System_QueryProgressThreads(gex_Client_t client, unsigned int *count_p,
                                            const gex_ProgressThreadInfo_t **info_p, gex_Flags_t flags)
{
    (void)client, (void)flags;
    *count_p = 0;
    *info_p = NULL;
    return GASNET_OK;
}

GAS_API int gex_System_GetVerboseErrors(void)
{
    return !gex.quiet;
}

GAS_API void gex_System_SetVerboseErrors(int enable)
{
    gex.quiet = !enable;
}
