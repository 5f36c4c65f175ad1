// SPDX-License-Identifier: BSD-3-Clause
//
// Synchronisation of the members of a group (the world or a team) that are on one node.
//
//     arrive   all members. The last arriver (in a group of several nodes the leader, when all have
//              arrived) is the closer: it may combine the deposits and synchronise with other
//              nodes; then it releases all members with the result.
//     wait     the other members
//
// Happens-before: what a PE did before cw_node_arrive() is visible to the closer after
// cw_node_arrive() returned true or cw_node_await_all() returned, and to all members after the
// release.
// Threads: one at a time for each group of a process. Blocking: waits spin briefly, yield, then
// sleep.
#ifndef CW_CORE_NODE_SYNC_H
#define CW_CORE_NODE_SYNC_H

#include <stdbool.h>

#include "core/sync/area.h"
#include "core/sync/peer.h"

/** What the members of a node share, as this PE sees it. */
typedef struct cw_node_sync {
    cw_coll_area_t *area;
    int mine, nlocal;  // index of this PE among the members of the node, and their number
    int nnodes;        // of the group; 1: the last arriver closes, else the leader (member 0)
    bool helps;  // waiting PEs may be needed elsewhere (the job has several nodes), or are observed
    cw_coll_counter_t *counter;  // on which this PE counts
    uint32_t counter_members, ncounters;
    cw_coll_deposit_t *deposit;   // of this PE
    cw_coll_deposit_t *deposits;  // [nlocal]; NULL: a team's, at one symmetric address
    const int *pes;               // [nlocal] PEs of the members
    uint32_t number;              // of the synchronisation that this PE is in, or has left last
    uint32_t missing;             // counts that were missing when this PE arrived
    _Atomic uint64_t *cpus;       // processors of the node's PEs
    int ncpus;                    // their number
    bool counted, patient;        // ncpus is final; cw_node_sync_patient was called
    uint32_t spins, yields;
} cw_node_sync_t;

/** Of the world. Also publishes the processors that this PE may use. pes: of the node, by slot. */
void cw_node_sync_init(cw_node_sync_t *ns, cw_coll_area_t *area, const int *pes, int slot,
                       int nslots, int nnodes);
/** Of a team, over the cells of its members. pes: those on this node, kept by the caller; cell:
 *  this PE's, symmetric. */
void cw_node_sync_join(cw_node_sync_t *ns, cw_team_cell_t *cell, const int *pes, int mine,
                       int nlocal, int nnodes);
/** This PE has left the team: after the last synchronisation, by all members. Never waits. */
void cw_node_sync_leave(cw_node_sync_t *ns);
/** Are this PE's cells fit for another team? Those of the node's first member are when the others
 *  have left. */
bool cw_node_sync_left(cw_node_sync_t *ns);

/** From now on waiting PEs sleep at once if the node has more PEs than processors. */
void cw_node_sync_patient(cw_node_sync_t *ns);

/** The deposit of member i. */
static inline cw_coll_deposit_t *cw_node_deposit(const cw_node_sync_t *ns, int i)
{
    return ns->deposits ? &ns->deposits[i] : cw_coll_at(ns->pes[i], ns->deposit);
}

/** The word that changes when the last member arrives. */
static inline const _Atomic uint32_t *cw_node_arrivals(const cw_node_sync_t *ns)
{
    return ns->ncounters > 1 ? &ns->area->arrived : &ns->counter->arrived;
}

/** Begins the next synchronisation. True for the last arriver. */
bool cw_node_arrive(cw_node_sync_t *ns);
/** Have all members arrived in the synchronisation that this PE is in? */
bool cw_node_all_arrived(const cw_node_sync_t *ns);
/** The leader of a node, in a group of several nodes, waits until all have arrived. */
void cw_node_await_all(cw_node_sync_t *ns);
/** The closer ends the synchronisation. The result, if any, is in area->result. */
void cw_node_release(cw_node_sync_t *ns);
/** Is the synchronisation over that this PE is in? */
static inline bool cw_node_released(const cw_node_sync_t *ns)
{
    // pairs with cw_node_release()
    return atomic_load_explicit(&ns->area->released, memory_order_acquire) == ns->number;
}
/** The other members wait for the release. */
void cw_node_await_release(cw_node_sync_t *ns);

#endif
