// SPDX-License-Identifier: BSD-3-Clause
//
// How runtimes over GASNet start and end: what they call, in which order, in C++. The first
// argument names the kind of runtime.
//   tasks     GASNet-1: a polling thread, collectives, the end from another thread
//   upc       GASNet-1: questions before the attach, the attach hook, the end in a handler
//   objects   GASNet-EX: a team of the neighbors before the segment, memory by load and store
//   graph     GASNet-EX: handlers without numbers, no polling but in waits, return from main
#include <gasnet.h>
#include <gasnet_coll.h>
#include <gasnet_tools.h>
#include <pthread.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

static int wrong;
#define EXPECT(what) ((what) ? (void)0 : (void)(wrong++, std::printf("FAIL: %s\n", #what)))
#define CHECK_GASNET(call)                                                                        \
    do {                                                                                          \
        int ret = (call);                                                                         \
        if (ret != GASNET_OK) {                                                                   \
            std::fprintf(stderr, "GASNET: %s = %d (%s, %s)\n", #call, ret, gasnet_ErrorName(ret), \
                         gasnet_ErrorDesc(ret));                                                  \
            std::exit(1);                                                                         \
        }                                                                                         \
    } while (0)

static volatile bool stop, stopped, given;

static void finish(const char *kind)
{
    std::printf("%s: node %u, %d wrong\n", kind, gasnet_mynode(), wrong);
    std::fflush(stdout);
}

// ---------------------------------------------------------------- tasks
static void *poll_thread(void *)
{
    while (!stop)
        gasnet_AMPoll();
    stopped = true;
    return nullptr;
}

static void on_given(gasnet_token_t, gasnet_handlerarg_t value)
{
    EXPECT(value == 5);
    given = true;
}

static void *end_thread(void *kind)
{
    finish(static_cast<const char *>(kind));
    gasnet_exit(wrong != 0);
}

static void start_tasks(int argc, char **argv)
{
    CHECK_GASNET(gasnet_init(&argc, &argv));
    gasnet_handlerentry_t table[] = {{140, reinterpret_cast<void (*)()>(on_given)}};
    CHECK_GASNET(gasnet_attach(table, 1, 64 * GASNET_PAGESIZE, 0));
    gasnet_set_waitmode(GASNET_WAIT_BLOCK);
    gasnet_coll_init(nullptr, 0, nullptr, 0, 0);
    std::vector<gasnet_seginfo_t> segments(gasnet_nodes());
    CHECK_GASNET(gasnet_getSegmentInfo(segments.data(), static_cast<int>(segments.size())));
    pthread_t poller, ender;
    pthread_create(&poller, nullptr, poll_thread, nullptr);
    std::vector<uintptr_t> sizes(gasnet_nodes());
    gasnet_coll_gather_all(GASNET_TEAM_ALL, sizes.data(), &segments[gasnet_mynode()].size,
                           sizeof sizes[0],
                           GASNET_COLL_IN_MYSYNC | GASNET_COLL_OUT_MYSYNC | GASNET_COLL_LOCAL);
    for (gasnet_node_t i = 0; i < gasnet_nodes(); i++)
        EXPECT(sizes[i] == segments[i].size);
    CHECK_GASNET(gasnet_AMRequestShort1((gasnet_mynode() + 1) % gasnet_nodes(), 140, 5));
    while (!given)
        gasnett_sched_yield();
    gasnet_barrier_notify(0, GASNET_BARRIERFLAG_ANONYMOUS);
    CHECK_GASNET(gasnet_barrier_wait(0, GASNET_BARRIERFLAG_ANONYMOUS));
    stop = true;
    pthread_join(poller, nullptr);
    EXPECT(stopped);
    pthread_create(&ender, nullptr, end_thread, argv[1]);
    pthread_join(ender, nullptr);
}

// ---------------------------------------------------------------- upc
static uintptr_t hooked;
static void on_attach(void *addr, uintptr_t nbytes)
{
    EXPECT(addr != nullptr);
    hooked = nbytes;
}

static void on_end(gasnet_token_t token, gasnet_handlerarg_t)
{
    gasnet_node_t source;
    CHECK_GASNET(gasnet_AMGetMsgSource(token, &source));
    EXPECT(source == 0);
    finish("upc");
    gasnet_exit(wrong != 0);
}

static void start_upc(int argc, char **argv)
{
    gasnet_client_attach_hook = on_attach;
    CHECK_GASNET(gasnet_init(&argc, &argv));
    const char *wanted = gasnet_getenv("GASNET_MAX_SEGSIZE");
    EXPECT(wanted && gasnett_parse_int(wanted, 1) == 8 << 20);
    std::vector<gasnet_nodeinfo_t> places(gasnet_nodes());
    CHECK_GASNET(gasnet_getNodeInfo(places.data(), static_cast<int>(places.size())));
    EXPECT(places[gasnet_mynode()].supernode <= gasnet_mynode());
    uintptr_t most = gasnet_getMaxGlobalSegmentSize();
    EXPECT(most > 0 && most <= 8 << 20 && most <= gasnet_getMaxLocalSegmentSize());
    gasnet_handlerentry_t table[] = {{200, reinterpret_cast<void (*)()>(on_end)}};
    CHECK_GASNET(gasnet_attach(table, 1, most, 1 << 20));
    EXPECT(hooked == most);
    gasnet_barrier_notify(7, 0);
    CHECK_GASNET(gasnet_barrier_wait(7, 0));
    if (gasnet_mynode() == 0)
        CHECK_GASNET(gasnet_AMRequestShort1(gasnet_nodes() - 1, 200, 0));
    GASNET_BLOCKUNTIL(stop);
}

// ---------------------------------------------------------------- objects
static void start_objects(int argc, char **argv)
{
    gex_Client_t client;
    gex_EP_t ep;
    gex_TM_t world, near_us = GEX_TM_INVALID;
    gex_Segment_t segment;
    CHECK_GASNET(
        gex_Client_Init(&client, &ep, &world, "objects", &argc, &argv, GEX_FLAG_USES_GASNET1));
    gex_RankInfo_t *neighbors;
    gex_Rank_t count, mine;
    gex_System_QueryNbrhdInfo(&neighbors, &count, &mine);
    int color = static_cast<int>(neighbors[0].gex_jobrank);
    size_t scratch =
        gex_TM_Split(&near_us, world, color, 0, nullptr, 0, GEX_FLAG_TM_SCRATCH_SIZE_RECOMMENDED);
    std::vector<char> room(scratch + 1);
    CHECK_GASNET(gex_Segment_Attach(&segment, world, 16 * GASNET_PAGESIZE));
    gex_TM_Split(&near_us, world, color, static_cast<int>(gex_TM_QueryRank(world)), room.data(),
                 scratch, GEX_FLAG_TM_LOCAL_SCRATCH);
    EXPECT(gex_TM_QuerySize(near_us) == count && gex_TM_QueryRank(near_us) == mine);
    for (gex_Rank_t rank = 0; rank < count; rank++) {
        void *there, *here;
        uintptr_t size;
        gex_Event_Wait(gex_EP_QueryBoundSegmentNB(near_us, rank, &there, &here, &size, 0));
        EXPECT(size == 16 * GASNET_PAGESIZE && here != nullptr);
        std::memcpy(static_cast<uint32_t *>(here) + mine, &mine, sizeof mine);
    }
    gex_Event_Wait(gex_Coll_BarrierNB(near_us, 0));
    for (gex_Rank_t rank = 0; rank < count; rank++)
        EXPECT(static_cast<uint32_t *>(gex_Segment_QueryAddr(segment))[rank] == rank);
    gex_Event_Wait(gex_Coll_BarrierNB(world, 0));
    EXPECT(gex_TM_Destroy(near_us, nullptr, GEX_FLAG_GLOBALLY_QUIESCED) >= 0);
    finish("objects");
    gasnet_exit(wrong != 0);
}

// ---------------------------------------------------------------- graph
static volatile int arrived;
static void on_data(gex_Token_t token, void *buf, size_t nbytes, gex_AM_Arg_t)
{
    gex_Token_Info_t info;
    gex_TI_t got = gex_Token_Info(token, &info, GEX_TI_SRCRANK);
    EXPECT((got & GEX_TI_SRCRANK) && nbytes == 5 && std::memcmp(buf, "data", 5) == 0);
    arrived = arrived + 1;
}

static int start_graph(int argc, char **argv)
{
    gex_Client_t client;
    gex_EP_t ep;
    gex_TM_t world;
    CHECK_GASNET(gex_Client_Init(&client, &ep, &world, "graph", &argc, &argv, 0));
    gex_AM_Entry_t table[1] = {{0, reinterpret_cast<gex_AM_Fn_t>(on_data),
                                GEX_FLAG_AM_MEDIUM | GEX_FLAG_AM_REQUEST, 1, nullptr, "data"}};
    CHECK_GASNET(gex_EP_RegisterHandlers(ep, table, 1));
    EXPECT(table[0].gex_index >= GEX_AM_INDEX_BASE);
    gex_Event_Wait(gex_Coll_BarrierNB(world, 0));
    char text[] = "data";
    for (gex_Rank_t rank = 0; rank < gex_TM_QuerySize(world); rank++)
        gex_AM_RequestMedium1(world, rank, table[0].gex_index, text, sizeof text, GEX_EVENT_NOW, 0,
                              1);
    GASNET_BLOCKUNTIL(arrived == static_cast<int>(gex_TM_QuerySize(world)));
    gex_Event_Wait(gex_Coll_BarrierNB(world, 0));
    finish("graph");
    return wrong != 0;
}

int main(int argc, char **argv)
{
    const char *kind = argc > 1 ? argv[1] : "";
    if (!std::strcmp(kind, "tasks"))
        start_tasks(argc, argv);
    else if (!std::strcmp(kind, "upc"))
        start_upc(argc, argv);
    else if (!std::strcmp(kind, "objects"))
        start_objects(argc, argv);
    else
        return start_graph(argc, argv);
    return 3;  // they end by gasnet_exit
}
