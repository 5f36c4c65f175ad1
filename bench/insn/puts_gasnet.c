// SPDX-License-Identifier: BSD-3-Clause
// GASNet-1's put, for checked_puts.c. Compile with -DGASNET_SEQ.
#include <gasnet.h>

#include "puts.h"

static char *there;
PUTS_CALL(gasnet_put_bulk, 1, there + n * 2 * PUTS_NBYTES, puts_source[n], PUTS_NBYTES)

static int join(volatile unsigned char **mine_p)
{
    gasnet_seginfo_t seg[2];
    gasnet_init(NULL, NULL);
    gasnet_attach(NULL, 0, 16 * GASNET_PAGESIZE, 0);
    gasnet_getSegmentInfo(seg, 2);
    there = seg[1].addr;
    *mine_p = seg[gasnet_mynode()].addr;
    return (int)gasnet_mynode();
}

static void complete(void)
{
}

static void barrier(void)
{
    gasnet_barrier_notify(0, GASNET_BARRIERFLAG_ANONYMOUS);
    gasnet_barrier_wait(0, GASNET_BARRIERFLAG_ANONYMOUS);
}

static void leave(void)
{
    gasnet_exit(0);
}

const struct puts_interface puts_interface = {"gasnet", join,    counted, put,
                                              complete, barrier, leave,   false};
