// SPDX-License-Identifier: BSD-3-Clause
//
// Each kind of GASNet-EX put and get to the next node (same_path.h).
#include "gasnet_ex/ex.h"
#include "same_path.h"

static void use(gex_Rank_t next, char *there, char *here)
{
    uint64_t word = 0;
    TIMES(gex_RMA_PutBlocking(tm, next, there, &word, 8, 0));
    TIMES(gex_RMA_PutBlocking(tm, next, there, here, BIG, 0));
    TIMES(gex_RMA_PutBlockingVal(tm, next, there, (uint64_t)i, 8, 0));
    TIMES(gex_Event_Wait(gex_RMA_PutNB(tm, next, there, &word, 8, GEX_EVENT_NOW, 0)));
    TIMES(gex_Event_Wait(gex_RMA_PutNB(tm, next, there, here, BIG, GEX_EVENT_DEFER, 0)));
    TIMES(gex_Event_Wait(gex_RMA_PutNBVal(tm, next, there, (uint64_t)i, 4, 0)));
    TIMES(gex_RMA_PutNBI(tm, next, there, &word, 8, GEX_EVENT_NOW, 0); gex_NBI_Wait(GEX_EC_ALL, 0));
    TIMES(gex_RMA_PutNBI(tm, next, there, here, BIG, GEX_EVENT_DEFER, 0);
          gex_NBI_Wait(GEX_EC_ALL, 0));
    TIMES(gex_RMA_PutNBIVal(tm, next, there, (uint64_t)i, 2, 0); gex_NBI_Wait(GEX_EC_ALL, 0));
    TIMES(gex_RMA_GetBlocking(tm, &word, next, there, 8, 0));
    TIMES((void)gex_RMA_GetBlockingVal(tm, next, there, 8, 0));
    TIMES(gex_Event_Wait(gex_RMA_GetNB(tm, here, next, there, BIG, 0)));
    TIMES(gex_RMA_GetNBI(tm, &word, next, there, 8, 0); gex_NBI_Wait(GEX_EC_ALL, 0));
}

int main(int argc, char **argv)
{
    begin(&argc, &argv, 1 << 20);
    barrier(tm);
    if (me == 0)  // the others compute nothing and send nothing
        use(1 % n, segment_of(1 % n), segment_of(me) + BIG);
    barrier(tm);
    return checks_failed != 0;
}
