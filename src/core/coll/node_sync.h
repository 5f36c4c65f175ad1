// SPDX-License-Identifier: BSD-3-Clause
//
// Synchronisation of the PEs of one node, with a small operand on board.
//
//     arrive   -> the last arriver (or the node's leader, once all have arrived) closes the epoch:
//                 it may combine the deposits and talk to other nodes, then releases everybody with the
//                 result
//     wait     -> the others
//
// Happens-before: whatever a PE did before cw_node_arrive() is visible to the closer after cw_node_arrive()
// returned true or cw_node_await_all() returned, and to everybody after the release. Threads: one at a time
// per process. Blocking: the waits spin briefly, yield, then sleep.
#ifndef CW_CORE_COLL_NODE_SYNC_H
#define CW_CORE_COLL_NODE_SYNC_H

#include <stdbool.h>

#include "core/coll/area.h"

/** This process's view of its node's area. */
typedef struct cw_node_sync {
    cw_coll_area_t *area;
    int slot, nslots, nnodes;
    cw_coll_group_t *group;  // where I count
    uint32_t group_size, ngroups;
    cw_coll_deposit_t *deposits;  // [nslots]
    uint32_t epoch;               // that I am in, or have left last
    uint32_t others_left;         // groups that were missing when I arrived
    int ncpus;                    // processors of the node's PEs; 0: not counted yet
    uint32_t spins, yields;
} cw_node_sync_t;

/** Also publishes the processors this PE may use; before the first arrival, all PEs must have come here. */
void cw_node_sync_init(cw_node_sync_t *ns, cw_coll_area_t *area, int slot, int nslots, int nnodes);

/** Begins the next epoch. True for the last arriver. */
bool cw_node_arrive(cw_node_sync_t *ns);
/** The leader of a node in a job of several: waits until all have arrived. */
void cw_node_await_all(cw_node_sync_t *ns);
/** The closer: ends the epoch. The result, if any, is in area->result. */
void cw_node_release(cw_node_sync_t *ns);
/** Everybody else: waits for the end of the epoch. */
void cw_node_await_release(cw_node_sync_t *ns);

/** Barrier of the node. */
static inline void cw_node_sync_all(cw_node_sync_t *ns)
{
    if (cw_node_arrive(ns))
        cw_node_release(ns);
    else
        cw_node_await_release(ns);
}

#endif
