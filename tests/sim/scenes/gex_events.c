// SPDX-License-Identifier: BSD-3-Clause
//
// GASNet-EX between nodes: events of puts and their leaves, peer completion of strided puts with
// and without bytes, and collectives that are entered early and late and go on meanwhile.
#define GASNET_SEQ 1
#include <gasnet_vis.h>
#include <gasnetex.h>
#include <unistd.h>

#include "sim.h"

enum { HANDLER = 128, RANKS = 3, ROUNDS = 2, SEGMENT = 65536 };
static gex_TM_t team;
static gex_Rank_t me, next;
static long *places[RANKS], *there, *here;
static int notified;

static void completed(gex_Token_t token, void *payload, size_t nbytes)
{
    gex_Token_Info_t info;
    (void)payload, (void)nbytes;
    gex_Token_Info(token, &info, GEX_TI_SRCRANK);
    SIM_CHECK((info.gex_srcrank + 1) % RANKS == me, "rank %u completes at rank %u",
              info.gex_srcrank, me);
    notified++;
}

static void find_segments(void)
{
    void *owner, *local;
    uintptr_t nbytes;
    gex_Segment_t segment;
    gex_Segment_Attach(&segment, team, SEGMENT);
    here = gex_Segment_QueryAddr(segment);
    for (gex_Rank_t rank = 0; rank < RANKS; rank++) {
        gex_Segment_QueryBound(team, rank, &owner, &local, &nbytes);
        places[rank] = owner;
    }
    there = places[next];
}

static void put(long value)
{
    gex_Event_t local, whole = gex_RMA_PutNB(team, next, there, &value, sizeof value, &local, 0);
    gex_Event_Wait(local);
    local = gex_Event_QueryLeaf(whole, GEX_EC_LC);
    SIM_CHECK(gex_Event_Test(local) == GASNET_OK, "the source is not free, but was");
    gex_Event_Wait(whole);
    whole = gex_RMA_PutNB(team, next, there + 1, &value, sizeof value, GEX_EVENT_NOW, 0);
    local = gex_Event_QueryLeaf(whole, GEX_EC_LC);
    SIM_CHECK(gex_Event_Test(local) == GASNET_OK, "the source may change, but its event is open");
    while (gex_Event_Test(whole) != GASNET_OK)
        usleep(20);
}

static void put_strided(long value, size_t n)
{
    const size_t count = n;
    const ptrdiff_t stride = 2 * sizeof value;
    long source[4] = {value, 0, value, 0};
    gex_VIS_SetPeerCompletionHandler(HANDLER, &value, sizeof value, 0);
    gex_VIS_StridedPutBlocking(team, next, there + 4, &stride, source, &stride, sizeof value,
                               &count, 1, 0);
    gex_Rank_t other = (next + 1) % RANKS;  // is not notified
    gex_VIS_StridedPutBlocking(team, other, places[other] + 8, &stride, source, &stride,
                               sizeof value, &(size_t){1}, 1, 0);
}

static void collect(long round)
{
    long sum = -1, mine = round + me;
    gex_Event_t barrier = gex_Coll_BarrierNB(team, 0),
                reduce = gex_Coll_ReduceToAllNB(team, &sum, &mine, GEX_DT_I64, sizeof mine, 1,
                                                GEX_OP_ADD, NULL, NULL, 0);
    if (sim_draw(2))
        gex_Event_Wait(barrier);
    else
        while (gex_Event_Test(barrier) != GASNET_OK)
            usleep(20);
    gex_Event_Wait(reduce);
    SIM_CHECK(sum == RANKS * round + 3, "the sum is %ld in round %ld", sum, round);
}

static void run(void)
{
    int argc = 1;
    char *words[] = {(char *)"scene", NULL}, **argv = words;
    gex_Client_t client;
    gex_EP_t ep;
    gex_AM_Entry_t table[] = {
        {HANDLER, (gex_AM_Fn_t)completed, GEX_FLAG_AM_MEDIUM | GEX_FLAG_AM_REQUEST, 0, NULL, NULL}};
    gex_Client_Init(&client, &ep, &team, "scene", &argc, &argv, 0);
    gex_EP_RegisterHandlers(ep, table, 1);
    me = gex_TM_QueryRank(team);
    next = (me + 1) % RANKS;
    find_segments();
    gex_Event_Wait(gex_Coll_BarrierNB(team, 0));
    sim_begin();
    for (long round = 1; round <= ROUNDS; round++) {
        put(round);
        put_strided(round, round == 1 ? 0 : 2);
        collect(round);
        GASNET_BLOCKUNTIL(notified >= round);
        SIM_CHECK(here[0] >= round && here[1] >= round, "%ld and %ld are there", here[0], here[1]);
    }
    gex_Event_Wait(gex_Coll_BarrierNB(team, 0));
    SIM_CHECK(notified == ROUNDS, "%d puts have completed here", notified);
    sim_end();
    gasnet_exit(0);
}

const sim_scene_t sim_scene = {
    .name = "gex_events", .npes = RANKS, .nnodes = 2, .run = run, .most_steps = 16000000};
