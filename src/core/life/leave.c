// SPDX-License-Identifier: BSD-3-Clause
//
// Two counts on PE 0 (core/sync/rendezvous.h). A PE counts itself on the first when its quiet is
// over, and waits until all have: from then on no PE waits for any node but PE 0's. Then it counts
// itself on the second, and is free; the PEs of PE 0's node stay until all are.
#include "core/life/leave.h"

#include "core/sync/area.h"
#include "core/sync/rendezvous.h"

enum { ALL_QUIET, ALL_FREE };

void cw_leave_without_launcher(const char *call)
{
    uint64_t *leaving = cw_coll_scratch()->leaving, npes = (uint64_t)cw_world.npes;
    cw_rendezvous_count(&leaving[ALL_QUIET], 1);
    cw_rendezvous_await(&leaving[ALL_QUIET], npes, call);
    cw_rendezvous_count(&leaving[ALL_FREE], 1);
    if (cw_world.node == cw_world.node_of_pe[0])
        cw_rendezvous_await(&leaving[ALL_FREE], npes, call);
}
