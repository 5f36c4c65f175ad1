// SPDX-License-Identifier: BSD-3-Clause
//
// A client of GASNet-1 and GASNet-EX, C and C++ alike: handlers with numbers from a table, requests
// and replies without a number in their names, a thread that polls, collectives of its own, an exit
// from wherever it is.
#include "gasnet_client.h"

#define HIDX_PING 201
#define HIDX_PONG 202
#define HIDX_DATA 203
#define HIDX_LONG 204

// Handles and tokens are pointers to things of their own: clients choose functions by them.
#ifdef __cplusplus
static int which(gasnet_handle_t)
{
    return 1;
}
static int which(gasnet_token_t)
{
    return 2;
}
static int which(void *)
{
    return 3;
}
#else
#define which(x) _Generic((x), gasnet_handle_t : 1, gasnet_token_t : 2, void * : 3)
#endif

static gasnett_atomic_t pongs = gasnett_atomic_init(0);
static volatile int received, landed;

static void ping_handler(gasnet_token_t token, gasnet_handlerarg_t a, gasnet_handlerarg_t b)
{
    GASNET_Safe(gasnet_AMReplyShort(token, HIDX_PONG, 2, a, b));
}

static void pong_handler(gasnet_token_t token, gasnet_handlerarg_t a, gasnet_handlerarg_t b)
{
    gasnet_node_t source;
    GASNET_Safe(gasnet_AMGetMsgSource(token, &source));
    gasnett_atomic_add(&pongs, (gasnett_atomic_val_t)(a + b), 0);
}

static void data_handler(gasnet_token_t token, void *buf, size_t nbytes, gasnet_handlerarg_t arg)
{
    received += arg + (nbytes == 8 ? ((char *)buf)[7] : -1000);
    GASNET_Safe(gasnet_AMReplyMedium(token, HIDX_LONG, buf, nbytes, 0));
}

static void long_handler(gasnet_token_t token, void *buf, size_t nbytes)
{
    (void)token;
    landed += nbytes == 8 ? ((char *)buf)[7] : -1000;
}

#if !GASNET_SEGMENT_EVERYTHING
static void *in_segment(gasnet_node_t node)
{
    gasnet_seginfo_t *info = (gasnet_seginfo_t *)calloc(gasnet_nodes(), sizeof *info);
    GASNET_Safe(gasnet_getSegmentInfo(info, (int)gasnet_nodes()));
    void *addr = info[node].addr;
    free(info);
    return addr;
}
#endif

static int wrong;
#define EXPECT(what) ((what) ? (void)0 : (void)(wrong++, printf("FAIL: %s\n", #what)))

static void test_messages(gasnet_node_t peer)
{
    char data[8] = {0, 0, 0, 0, 0, 0, 0, 5};
    for (int i = 0; i < 10; i++)
        GASNET_Safe(gasnet_AMRequestShort(peer, HIDX_PING, 2, i, 1));
    GASNET_BLOCKUNTIL(gasnett_atomic_read(&pongs, 0) == 55);
    GASNET_Safe(gasnet_AMRequestMedium(peer, HIDX_DATA, data, sizeof data, 1, 3));
    GASNET_BLOCKUNTIL(received == 8 && landed >= 5);
#if GASNET_SEGMENT_EVERYTHING
    static char outside[8];
    GASNET_Safe(gasnet_AMRequestLong(gasnet_mynode(), HIDX_LONG, data, 8, outside, 0));
    GASNET_Safe(gasnet_AMRequestLongAsync(gasnet_mynode(), HIDX_LONG, data, 8, outside, 0));
#else
    GASNET_Safe(gasnet_AMRequestLong(peer, HIDX_LONG, data, 8, in_segment(peer), 0));
    GASNET_Safe(gasnet_AMRequestLongAsync(peer, HIDX_LONG, data, 8, in_segment(peer), 0));
#endif
    GASNET_BLOCKUNTIL(landed == 15);
    BARRIER();
}

static void test_barrier(void)
{
    int id = -1;
    gasnet_barrier_notify(42, GASNET_BARRIERFLAG_IMAGES);
    GASNET_Safe(gasnet_barrier_wait(0, GASNET_BARRIERFLAG_ANONYMOUS));
    EXPECT(gasnet_barrier_result(&id) == 0 && id == 42);
}

static void test_ex(void)
{
    gex_Client_t client;
    gex_EP_t ep;
    gex_TM_t tm;
    gex_Segment_t segment;
    gex_EP_Location_t place = {gasnet_mynode(), 0};
    unsigned count = 7;
    int one = 1, sum = 0;
    gasnet_QueryGexObjects(&client, &ep, &tm, &segment);
    EXPECT(gex_TM_QueryRank(tm) == place.gex_rank && sizeof place.gex_ep_index == 2);
    gex_Event_t event = gex_Coll_ReduceToAllNB(tm, &sum, &one, GEX_DT_I32, sizeof one, 1,
                                               GEX_OP_ADD, NULL, NULL, 0);
    while (gex_Event_Test(event) != GASNET_OK)
        gasnet_AMPoll();
    EXPECT(sum == (int)gasnet_nodes());
    const gex_ProgressThreadInfo_t *info = NULL;
    gex_System_SetVerboseErrors(0);
    if (gex_System_QueryProgressThreads(client, &count, &info, 0) == GASNET_OK && count > 0)
        info->gex_progress_fn(info->gex_progress_arg);
    EXPECT(GASNETI_MAX_THREADS <= 256 && gex_System_QueryMaxThreads() <= 256);
}

static void test_tools(void)
{
    char line[64];
    gasnett_threadkey_init(client_thread);
    gasnett_threadkey_set(client_thread, line);
    EXPECT(gasnett_threadkey_get(client_thread) == line);
    snprintf(line, sizeof line, "%" PRIuSZ " of %" PRIu64, sizeof client_id, (uint64_t)1);
    EXPECT(gasnett_getenv("GASNET_CLIENT_NOT_SET") == NULL);
    EXPECT(gasnett_set_affinity(0) == 0);
    gasnett_envstr_display("GASNET_CLIENT_NOT_SET", "no", 1);
    GASNETT_TRACE_PRINTF("%s", line);
}

int main(int argc, char **argv)
{
    gasnet_handlerentry_t table[] = {
        {HIDX_PING, (void (*)())ping_handler},
        {HIDX_PONG, (void (*)())pong_handler},
        {HIDX_DATA, (void (*)())data_handler},
        {HIDX_LONG, (void (*)())long_handler},
    };
    GASNET_Safe(gasnet_init(&argc, &argv));
    gasnet_nodeinfo_t *hosts = (gasnet_nodeinfo_t *)calloc(gasnet_nodes(), sizeof *hosts);
    GASNET_Safe(gasnet_getNodeInfo(hosts, (int)gasnet_nodes()));
    uintptr_t nbytes = GASNETI_MAX_THREADS * (uintptr_t)GASNET_PAGESIZE;
    GASNET_Safe(gasnet_attach(table, sizeof table / sizeof *table, nbytes, 0));
    gasnet_node_t peer = (gasnet_mynode() + 1) % gasnet_nodes();
    test_messages(peer);
    test_barrier();
    test_ex();
    test_tools();
    EXPECT(which(gasnet_put_nb(gasnet_mynode(), hosts, hosts, 0)) == 1);
    EXPECT(which((gasnet_token_t)0) == 2 && which((void *)0) == 3);
    EXPECT(which((gex_Event_t)0) == 1 && hosts[0].auxoffset == hosts[0].offset);
    EXPECT(gasneti_mynode == gasnet_mynode() && gasneti_nodes == gasnet_nodes());
    free(hosts);
    BARRIER();
    MSG0("client: %u nodes, %d wrong\n", (unsigned)gasnet_nodes(), wrong);
    gasnet_AMRequestShort2(peer, HIDX_PING, 1, 1);  // in vain: the job ends
    gasnet_exit(wrong != 0);
    return 0;
}
