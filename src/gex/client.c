// SPDX-License-Identifier: BSD-3-Clause
//
// GASNet-EX: client, endpoints, questions about the job. A process has one client, and one endpoint
// that receives messages.
#include <stdlib.h>
#include <string.h>

#include "core/device/remote.h"
#include "core/progress/hooks.h"
#include "gex/gex.h"

gex_state_t gex = {.lock = PTHREAD_MUTEX_INITIALIZER, .neps = 1};

void gex_check_rank(const char *call, gex_TM_t tm, gex_Rank_t rank)
{
    gex_check_object(call, GEX_TEAM, tm);
    if (rank >= tm->size)
        gas_fail(call, "there is no rank %u: the team has %u", rank, tm->size);
}

void gex_check_team(const char *call, gex_TM_t tm)
{
    gex_check_rank(call, tm, 0);
    if (tm->is_pair)
        gas_fail(call, "a pair of endpoints (gex_TM_Pair) is no team; give one of gex_Client_Init "
                       "or gex_TM_Split");
    if (CW_UNLIKELY(gas.check))
        gas_check_life(call);
}

// ---------------------------------------------------------------- client
GAS_API int gex_causeway_client_init(gex_Client_t *client_p, gex_EP_t *ep_p, gex_TM_t *tm_p,
                                     const char *name, int *argc, char ***argv, gex_Flags_t flags,
                                     int mode, const char *config)
{
    if (gex.begun || !name || !client_p || !ep_p || !tm_p) {
        gex_error("gex_Client_Init: %s",
                  gex.begun ? "called a second time: there is one client in a process"
                            : "name and pointers must not be NULL");
        return GASNET_ERR_BAD_ARG;
    }
    (void)argc, (void)argv;  // launchers of this library hand nothing over there
    int error = gas_init("gex_Client_Init", mode, config);
    if (error)
        return error;
    gas_attach();
    gas_attach_publish();  // gex_Segment_Attach says how much of the area is the segment
    gex.client = (struct gex_causeway_client){.name = strdup(name), .flags = flags};
    gas_start_barrier();
    gas_open_messages();
    gasnet_QueryGexObjects(client_p, ep_p, tm_p, NULL);
    return GASNET_OK;
}

// ---------------------------------------------------------------- what the job calls
/** In programs that do not use EX this costs some memory that is never touched. */
static void open_interface(void)
{
    gex.client.name = "GASNet-1";
    gex.client.flags = GEX_FLAG_USES_GASNET1;
    gex.world.rank = gas.me;
    gex.world.size = gas.nodes;
    gex.world.ep = &gex.ep[0];
    gex.begun = true;
    gex.agrees = gas.check;
    gex_doubtful = gas.check ? UINTPTR_MAX : 1;
    gasnet_causeway_near.team = gas.check ? NULL : &gex.world;
    gex_coll_open();
    gex_tm_begin(&gex.world, 0);
    cw_am_take_raw(GEX_AM_CLIENT, gas_takes);
    gex_far_atomics_open();
    cw_progress_hooks.attend = gex_coll_attend;
}

static void attached(void *addr, uintptr_t size)
{
    gex.segment = (struct gex_causeway_segment){.addr = addr, .nbytes = size};
    gex.ep[0].segment = &gex.segment;
}

gas_interface_t gex_interface = {.open = open_interface,
                                 .open_messages = gex_am_open,
                                 .close_messages = gex_am_close,
                                 .adopt_handler = gex_adopt_handler,
                                 .attached = attached,
                                 .shares = gex_shares};

static GAS_CONSTRUCTOR void add_interface(void)
{
    cw_device_serve();  // also for processes that use no device, of nodes that do
    gas_interface_add(&gex_interface);
}

// ---------------------------------------------------------------- objects

GAS_API void gasnet_QueryGexObjects(gex_Client_t *client_p, gex_EP_t *ep_p, gex_TM_t *tm_p,
                                    gex_Segment_t *segment_p)
{
    gex_check_rank(__func__, &gex.world, 0);
    if (client_p)
        *client_p = &gex.client;
    if (ep_p)
        *ep_p = &gex.ep[0];
    if (tm_p)
        *tm_p = &gex.world;
    if (segment_p)
        *segment_p = gex.ep[0].segment;
}

GAS_API const char *gex_Client_QueryName(gex_Client_t client)
{
    gex_want(__func__, GEX_CLIENT, client);
    return client->name;
}

GAS_API gex_Flags_t gex_Client_QueryFlags(gex_Client_t client)
{
    gex_want(__func__, GEX_CLIENT, client);
    return client->flags;
}

GAS_API void *gex_Client_QueryCData(gex_Client_t client)
{
    gex_want(__func__, GEX_CLIENT, client);
    return client->cdata;
}

GAS_API void gex_Client_SetCData(gex_Client_t client, const void *cdata)
{
    gex_want(__func__, GEX_CLIENT, client);
    client->cdata = (void *)(uintptr_t)cdata;
}

// ---------------------------------------------------------------- endpoint
GAS_API gex_Client_t gex_EP_QueryClient(gex_EP_t ep)
{
    gex_want(__func__, GEX_ENDPOINT, ep);
    return &gex.client;
}

GAS_API gex_EP_Index_t gex_EP_QueryIndex(gex_EP_t ep)
{
    gex_want(__func__, GEX_ENDPOINT, ep);
    return ep->index;
}

GAS_API gex_Flags_t gex_EP_QueryFlags(gex_EP_t ep)
{
    gex_want(__func__, GEX_ENDPOINT, ep);
    return 0;
}

GAS_API int gex_EP_Create(gex_EP_t *ep_p, gex_Client_t client, gex_EP_Capabilities_t capabilities,
                          gex_Flags_t flags)
{
    gex_EP_Capabilities_t possible = GEX_EP_CAPABILITY_RMA | GEX_EP_CAPABILITY_VIS;
    if (!ep_p || client != &gex.client || !capabilities || capabilities & ~possible || flags) {
        gex_error(
            "gex_EP_Create: wants a place for the endpoint, the client, flags 0 and "
            "GEX_EP_CAPABILITY_RMA, _VIS or both (%#x was asked for): everything else is done "
            "by the endpoint of gex_Client_Init",
            capabilities);
        return GASNET_ERR_BAD_ARG;
    }
    pthread_mutex_lock(&gex.lock);
    unsigned index = gex.neps < GASNET_MAXEPS ? gex.neps++ : 0;
    pthread_mutex_unlock(&gex.lock);
    if (!index) {
        gex_error("gex_EP_Create: a process has at most %d endpoints (GASNET_MAXEPS)",
                  GASNET_MAXEPS);
        return GASNET_ERR_RESOURCE;
    }
    gex.ep[index].index = index;
    *ep_p = &gex.ep[index];
    return GASNET_OK;
}

GAS_API gex_Segment_t gex_EP_QuerySegment(gex_EP_t ep)
{
    gex_want(__func__, GEX_ENDPOINT, ep);
    return ep->segment;
}

GAS_API void *gex_EP_QueryCData(gex_EP_t ep)
{
    gex_want(__func__, GEX_ENDPOINT, ep);
    return ep->cdata;
}

GAS_API void gex_EP_SetCData(gex_EP_t ep, const void *cdata)
{
    gex_want(__func__, GEX_ENDPOINT, ep);
    ep->cdata = (void *)(uintptr_t)cdata;
}

// ---------------------------------------------------------------- the job
static inline void check_begun(const char *call)
{
    if (CW_UNLIKELY(!gas.threads))
        gas_fail(call, "called before gex_Client_Init");
}

GAS_API gex_Rank_t gex_System_QueryJobRank(void)
{
    check_begun(__func__);
    return gas.me;
}

GAS_API gex_Rank_t gex_System_QueryJobSize(void)
{
    check_begun(__func__);
    return gas.nodes;
}

static gex_RankInfo_t *my_node(void)
{
    static gex_Rank_t *jobrank;  // a gex_RankInfo_t that can be written
    _Static_assert(sizeof(gex_RankInfo_t) == sizeof *jobrank, "it has one member");
    pthread_mutex_lock(&gex.lock);
    if (!jobrank && (jobrank = calloc((size_t)cw_world.nslots, sizeof *jobrank)))
        for (int slot = 0; slot < cw_world.nslots; slot++)
            jobrank[slot] = (gex_Rank_t)cw_world.pes_of_node[slot];
    pthread_mutex_unlock(&gex.lock);
    if (!jobrank)
        cwu_fatal("gex_System_QueryNbrhdInfo: out of memory");
    return (gex_RankInfo_t *)(void *)jobrank;
}

/** Host and node of this library are one, and a neighborhood is all of it or a part. */
GAS_API void gex_System_QueryNbrhdInfo(gex_RankInfo_t **info_p, gex_Rank_t *count_p,
                                       gex_Rank_t *mine_p)
{
    gex_check_rank(__func__, &gex.world, 0);
    gex_Rank_t slot = (gex_Rank_t)cw_world.slot, most = gas_neighborhood(),
               first = slot / most * most, rest = (gex_Rank_t)cw_world.nslots - first;
    if (info_p)
        *info_p = my_node() + first;
    if (count_p)
        *count_p = rest < most ? rest : most;
    if (mine_p)
        *mine_p = slot - first;
}

GAS_API void gex_System_QueryHostInfo(gex_RankInfo_t **info_p, gex_Rank_t *count_p,
                                      gex_Rank_t *mine_p)
{
    gex_check_rank(__func__, &gex.world, 0);
    if (info_p)
        *info_p = my_node();
    if (count_p)
        *count_p = (gex_Rank_t)cw_world.nslots;
    if (mine_p)
        *mine_p = (gex_Rank_t)cw_world.slot;
}

/** Neighborhoods whose first rank is below that one. */
static gex_Rank_t neighborhoods_below(gex_Rank_t rank)
{
    gex_Rank_t n = 0;
    for (gex_Rank_t i = 0; i < rank; i++)
        n += gas_leads_neighbors(i);
    return n;
}

GAS_API void gex_System_QueryMyPosition(gex_Rank_t *nbrhds_p, gex_Rank_t *my_nbrhd_p,
                                        gex_Rank_t *hosts_p, gex_Rank_t *my_host_p)
{
    gex_check_rank(__func__, &gex.world, 0);
    gex_RankInfo_t *mine;
    if (nbrhds_p)
        *nbrhds_p = neighborhoods_below(gas.nodes);
    if (my_nbrhd_p) {
        gex_System_QueryNbrhdInfo(&mine, NULL, NULL);
        *my_nbrhd_p = neighborhoods_below(mine->gex_jobrank);
    }
    if (hosts_p)
        *hosts_p = (gex_Rank_t)cw_world.nnodes;
    if (my_host_p)
        *my_host_p = (gex_Rank_t)cw_world.node;
}

GAS_API uint64_t gex_System_QueryMaxThreads(void)
{
    return gas.threads == GAS_PAR ? (uint64_t)cwu_env.max_threads : 1;
}

/** Handlers run in threads of the client, never in hidden ones. */
GAS_API int gex_System_QueryHiddenAMConcurrencyLevel(void)
{
    return 0;
}

/** For clients that began with GEX_FLAG_DEFER_THREADS only. The node server runs no handlers and is
 *  no progress thread in this sense. */
GAS_API int gex_System_QueryProgressThreads(gex_Client_t client, unsigned int *count_p,
                                            const gex_ProgressThreadInfo_t **info_p,
                                            gex_Flags_t flags)
{
    (void)flags;
    if (!client || !count_p || !info_p)
        return GASNET_ERR_BAD_ARG;
    if (!(client->flags & GEX_FLAG_DEFER_THREADS)) {
        gex_error("gex_System_QueryProgressThreads: gex_Client_Init was not given "
                  "GEX_FLAG_DEFER_THREADS");
        return GASNET_ERR_RESOURCE;
    }
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
