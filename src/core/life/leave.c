// SPDX-License-Identifier: BSD-3-Clause
//
// Two counters on PE 0. A PE counts itself on the first when its quiet is over, and waits until all
// have: from then on nobody waits for any node but PE 0's. Then it counts itself on the second, and
// is free; PE 0's node stays until all are. The counts are atomics with an answer, so nothing of
// them is under way when a PE goes.
#include "core/life/leave.h"

#include "core/mem/layout.h"
#include "core/progress/wait.h"
#include "core/rma/amo.h"
#include "core/rma/context.h"
#include "core/rma/node.h"

#define AT 3072  // bytes into the words of the collective scratch: nobody else's

static uint64_t count(int which, cw_amo_op_t op)
{
    uint64_t *counters = (uint64_t *)(void *)((char *)cw_coll_scratch() + AT);
    return cw_amo_fetching(&cw_ctx_default, &counters[which], op, sizeof *counters, 1, 0, 0);
}

static void await(int which)
{
    cw_wait_t w = CW_WAIT_INIT("shmem_finalize");
    while (count(which, CW_AMO_FETCH) < (uint64_t)cw_world.npes)
        cw_wait_round(&w);
    cw_wait_done(&w);
}

void cw_leave_without_launcher(void)
{
    count(0, CW_AMO_ADD);
    await(0);
    count(1, CW_AMO_ADD);
    if (cw_world.node == cw_world.node_of_pe[0])
        await(1);
}
