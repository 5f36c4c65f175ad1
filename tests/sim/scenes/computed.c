// SPDX-License-Identifier: BSD-3-Clause
//
// Atomics that no instruction does, of threads and ranks on two nodes to words of one rank: no sum
// is lost, and the highest value stays.
#define GASNET_PAR 1
#include <gasnet_ratomic.h>
#include <gasnetex.h>
#include <pthread.h>

#include "sim.h"

enum { RANKS = 3, ROUNDS = 3, ADDERS = RANKS + 1 };  // rank 0 has two threads
static gex_TM_t team;
static gex_AD_t sums, highest;
static char *words;  // of rank 0: the sum, and behind it the highest

static void *add(void *arg)
{
    int32_t adder = *(const int32_t *)arg;
    for (int32_t round = 0; round < ROUNDS; round++) {
        int32_t before = -1, seen = -1, mine = round * ADDERS + adder;
        double sum = -1;
        gex_Event_Wait(gex_AD_OpNB_DBL(sums, &sum, 0, words, GEX_OP_FADD, 1, 0, 0));
        SIM_CHECK(sum >= round && sum < ROUNDS * ADDERS, "the sum was %g in round %d", sum, round);
        gex_AD_OpNBI_I32(highest, &before, 0, words + 8, GEX_OP_FMAX, mine, 0, 0);
        gex_NBI_Wait(GEX_EC_RMW, 0);
        gex_Event_Wait(gex_AD_OpNB_I32(highest, &seen, 0, words + 8, GEX_OP_GET, 0, 0, 0));
        SIM_CHECK(seen >= mine && seen >= before, "%d behind %d and %d", seen, before, mine);
    }
    return NULL;
}

static void join(void)
{
    int argc = 1;
    char *program[] = {(char *)"scene", NULL}, **argv = program;
    void *owner, *local;
    uintptr_t nbytes;
    gex_Client_t client;
    gex_EP_t ep;
    gex_Segment_t segment;
    gex_Client_Init(&client, &ep, &team, "scene", &argc, &argv, 0);
    gex_Segment_Attach(&segment, team, 65536);
    gex_Segment_QueryBound(team, 0, &owner, &local, &nbytes);
    words = owner;
    gex_AD_Create(&sums, team, GEX_DT_DBL, GEX_OP_FADD | GEX_OP_GET, 0);
    gex_AD_Create(&highest, team, GEX_DT_I32, GEX_OP_FMAX | GEX_OP_GET, 0);
}

static void run(void)
{
    join();
    int32_t me = (int32_t)gex_TM_QueryRank(team), second = RANKS, high = -1;
    double sum = -1;
    pthread_t thread;
    gex_Event_Wait(gex_Coll_BarrierNB(team, 0));
    sim_begin();
    if (me == 0)
        pthread_create(&thread, NULL, add, &second);
    add(&me);
    if (me == 0)
        pthread_join(thread, NULL);
    gex_Event_Wait(gex_Coll_BarrierNB(team, 0));
    sim_end();
    gex_Event_Wait(gex_AD_OpNB_DBL(sums, &sum, 0, words, GEX_OP_GET, 0, 0, 0));
    gex_Event_Wait(gex_AD_OpNB_I32(highest, &high, 0, words + 8, GEX_OP_GET, 0, 0, 0));
    SIM_CHECK(sum == ROUNDS * ADDERS, "%g were added", sum);
    SIM_CHECK(high == ROUNDS * ADDERS - 1, "the highest is %d", high);
    gasnet_exit(0);
}

const sim_scene_t sim_scene = {.name = "computed", .npes = RANKS, .nnodes = 2, .run = run};
