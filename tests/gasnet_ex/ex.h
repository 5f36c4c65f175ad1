// SPDX-License-Identifier: BSD-3-Clause
//
// Shared by the tests of GASNet-EX: a job with a segment, checks that print, barriers.
#ifndef TEST_EX_H
#define TEST_EX_H

#include <gasnetex.h>
#include <stdlib.h>
#include <string.h>

#include "frame/check.h"

static gex_Client_t client;
static gex_EP_t ep;
static gex_TM_t tm;
static gex_Segment_t segment;
static uint32_t me, n;

__attribute__((unused)) static void barrier(gex_TM_t team)
{
    gex_Event_Wait(gex_Coll_BarrierNB(team, 0));
}

__attribute__((unused)) static void begin(int *argc, char ***argv, uintptr_t segment_nbytes)
{
    CHECK(gex_Client_Init(&client, &ep, &tm, "test", argc, argv, 0) == GASNET_OK);
    me = gex_TM_QueryRank(tm);
    n = gex_TM_QuerySize(tm);
    check_as("rank", me, n);
    if (segment_nbytes)
        CHECK(gex_Segment_Attach(&segment, tm, segment_nbytes) == GASNET_OK);
}

/** The segment of a rank, by the addresses of that rank. */
__attribute__((unused)) static char *segment_of(uint32_t rank)
{
    void *addr = NULL;
    CHECK(gex_Segment_QueryBound(tm, rank, &addr, NULL, NULL) == 0);
    return addr;
}

/** Every rank ends with the number of failures of all. */
__attribute__((unused)) static void end(void)
{
    int32_t mine = checks_failed, all = -1;
    gex_Event_Wait(gex_Coll_ReduceToAllNB(tm, &all, &mine, GEX_DT_I32, sizeof all, 1, GEX_OP_ADD,
                                          NULL, NULL, 0));
    if (me == 0)
        printf("%u ranks, %d failed\n", n, all);
    fflush(stdout);
    gasnet_exit(all != 0);
}

#endif
