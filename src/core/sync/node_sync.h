// SPDX-License-Identifier: BSD-3-Clause
//
// Synchronisation of the PEs of one node that belong to a group (the world or a team), with a small
// operand on board.
//
//     arrive   -> the last arriver (or the node's leader, once all have arrived) closes the epoch:
//                 it may combine the deposits and talk to other nodes, then releases everybody with the
//                 result
//     wait     -> the others
//
// Happens-before: whatever a PE did before cw_node_arrive() is visible to the closer after
// cw_node_arrive() returned true or cw_node_await_all() returned, and to everybody after the
// release. Threads: one at a time per process and group. Blocking: the waits spin briefly, yield,
// then sleep.
#ifndef CW_CORE_COLL_NODE_SYNC_H
#define CW_CORE_COLL_NODE_SYNC_H

#include <stdbool.h>

#include "core/sync/area.h"
#include "core/sync/peer.h"

/** This process's view of what its node's members share. */
typedef struct cw_node_sync {
    cw_coll_area_t *area;
    int mine, nlocal;        // members on this node, and which I am
    int nnodes;              // of the group; 1: the last arriver closes, else the leader (member 0)
    bool helps;              // waiters may be needed elsewhere (the job has several nodes), or are
                             // looked at (core/observe/watch.h)
    cw_coll_group_t *group;  // where I count
    uint32_t group_size, ngroups;
    cw_coll_deposit_t *deposit;   // mine
    cw_coll_deposit_t *deposits;  // [nlocal], or NULL: a team's, each where mine is on its PE
    const int *pes;               // [nlocal] world PEs of the members
    uint32_t epoch;               // that I am in, or have left last
    uint32_t others_left;         // groups that were missing when I arrived
    _Atomic uint64_t *cpus;       // processors of the node's PEs
    int ncpus;                    // how many
    bool counted, patient;        // ncpus is final; see cw_node_sync_patient
    uint32_t spins, yields;
} cw_node_sync_t;

/** The world's part on this node. Also publishes the processors this PE may use. pes: of the node,
 *  by slot. */
void cw_node_sync_init(cw_node_sync_t *ns, cw_coll_area_t *area, const int *pes, int slot,
                       int nslots, int nnodes);
/** A team's, over the cells of its members. pes: those on this node, kept by the caller; cell:
 *  mine, symmetric. */
void cw_node_sync_join(cw_node_sync_t *ns, cw_team_cell_t *cell, const int *pes, int mine,
                       int nlocal, int nnodes);
/** Makes the cells fit for another team. After the last synchronisation, by all members; waits for
 *  those of this node. */
void cw_node_sync_leave(cw_node_sync_t *ns);

/** From now on whoever waits in a crowded node sleeps at once: his turn will be late. */
void cw_node_sync_patient(cw_node_sync_t *ns);

/** The deposit of member i. */
static inline cw_coll_deposit_t *cw_node_deposit(const cw_node_sync_t *ns, int i)
{
    return ns->deposits ? &ns->deposits[i] : cw_coll_at(ns->pes[i], ns->deposit);
}

/** The word that changes when the last member arrives. */
static inline const _Atomic uint32_t *cw_node_arrivals(const cw_node_sync_t *ns)
{
    return ns->ngroups > 1 ? &ns->area->arrived : &ns->group->arrived;
}

/** Begins the next epoch. True for the last arriver. */
bool cw_node_arrive(cw_node_sync_t *ns);
/** Have all members arrived in the epoch that this PE is in? */
bool cw_node_all_arrived(const cw_node_sync_t *ns);
/** The leader of a node in a job of several: waits until all have arrived. */
void cw_node_await_all(cw_node_sync_t *ns);
/** The closer: ends the epoch. The result, if any, is in area->result. */
void cw_node_release(cw_node_sync_t *ns);
/** Is the epoch over that this PE is in? */
static inline bool cw_node_released(const cw_node_sync_t *ns)
{
    // pairs with cw_node_release()
    return atomic_load_explicit(&ns->area->released, memory_order_acquire) == ns->epoch;
}
/** The other members: waits for the end of the epoch. */
void cw_node_await_release(cw_node_sync_t *ns);

#endif
