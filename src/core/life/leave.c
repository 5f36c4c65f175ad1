// SPDX-License-Identifier: BSD-3-Clause
//
// A PE counts itself on PE 0 after its quiet, and waits until all have: then no PE waits for any
// node but PE 0's. PEs of that node stay until all have counted themselves again.
#include "core/life/leave.h"

#include "core/sync/area.h"
#include "core/sync/rendezvous.h"
#include "core/world/world.h"

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
