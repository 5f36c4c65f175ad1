// SPDX-License-Identifier: BSD-3-Clause
// GASNet-EX's put, for checked_puts.c. Compile with -DGASNET_SEQ.
#include <gasnetex.h>

#include "puts.h"

static gex_TM_t all;
static char *there;

// not as clients inline it
static int put_blocking(void *dest, void *src, size_t nbytes)
{
    return gex_RMA_PutBlocking(all, 1, dest, src, nbytes, 0);
}
PUTS_CALL(put_blocking, there + n * 2 * PUTS_NBYTES, puts_source[n], PUTS_NBYTES)

static int join(volatile unsigned char **mine_p)
{
    gex_Client_t client;
    gex_EP_t ep;
    gex_Segment_t segment;
    void *base;
    gex_Client_Init(&client, &ep, &all, "checked puts", NULL, NULL, 0);
    gex_Segment_Attach(&segment, all, 16 * GASNET_PAGESIZE);
    gex_Event_Wait(gex_EP_QueryBoundSegmentNB(all, 1, &base, NULL, NULL, 0));
    there = base;
    *mine_p = gex_Segment_QueryAddr(segment);
    return (int)gex_TM_QueryRank(all);
}

static void complete(void)
{
}

static void barrier(void)
{
    gex_Event_Wait(gex_Coll_BarrierNB(all, 0));
}

static void leave(void)
{
    gasnet_exit(0);
}

const struct puts_interface puts_interface = {"gex",    join,    counted, put,
                                              complete, barrier, leave,   false};
