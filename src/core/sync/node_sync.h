// SPDX-License-Identifier: BSD-3-Clause
//
// Synchronisation of the members of a group (the world or a team) that are on one node.
//
//     arrive   all members. The last arriver (in a group of several nodes the leader, when all have
//              arrived) is the closer: it may combine the deposits and synchronise with other
//              nodes; then it releases all members with the result.
//     wait     the other members
//
// Few members with a processor each *meet* instead, once they have synchronised that way: there is
// no closer, and no release. What a member has deposited before a meeting all may read until they
// arrive in the next one.
//
// Happens-before: what a PE did before cw_node_arrive() is visible to the closer after
// cw_node_arrive() returned true or cw_node_await_all() returned, and to all members after the
// release; what it did before cw_node_meet(), to all members after it.
// Threads: one at a time for each group of a process. Blocking: waits spin briefly, yield, then
// sleep.
#ifndef CW_CORE_NODE_SYNC_H
#define CW_CORE_NODE_SYNC_H

#include <stdbool.h>

#include "base/wait.h"
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
    cw_coll_deposit_t *deposit[2];   // of this PE; the second one may be missing
    cw_coll_deposit_t *deposits[2];  // [nlocal]; NULL: a team's, at one symmetric address
    const int *pes;                  // [nlocal] PEs of the members
    uint32_t number;   // of the synchronisation that this PE is in, or has left last
    uint32_t missing;  // counts that were missing when this PE arrived
    uint32_t meeting;  // as number, of meetings
    bool can_meet;     // the closer may decide that members meet from now on
    bool meets;        // the next synchronisation is a meeting; the same on all members
    _Atomic uint64_t *cpus;       // processors of the node's PEs
    int ncpus;                    // their number
    bool counted, patient;        // ncpus is final; cw_node_sync_patient was called
    bool roomy;                   // each PE has a processor
    cwu_wait_plan_t plan;
} cw_node_sync_t;

/** Of the world. Also publishes the processors that this PE may use. pes: of the node, by slot. */
void cw_node_sync_init(cw_node_sync_t *ns, cw_coll_area_t *area, const int *pes, int slot,
                       int nslots, int nnodes);
/** Of a team, over the cells of its members. pes: those on this node, kept by the caller; cell:
 *  this PE's, symmetric, as `odd`, NULL where members never meet. */
void cw_node_sync_join(cw_node_sync_t *ns, cw_team_cell_t *cell, cw_coll_deposit_t *odd,
                       const int *pes, int mine, int nlocal, int nnodes);
/** The next synchronisation of the team, which is no meeting, is the last one. */
static inline void cw_node_sync_part(cw_node_sync_t *ns)
{
    ns->meets = false;
}
/** This PE has left the team: after the last synchronisation, by all members. Never waits. */
void cw_node_sync_leave(cw_node_sync_t *ns);
/** Are this PE's cells fit for another team? Those of the node's first member are when the others
 *  have left. */
bool cw_node_sync_left(cw_node_sync_t *ns);

/** From now on waiting PEs sleep at once if the node has more PEs than processors. */
void cw_node_sync_patient(cw_node_sync_t *ns);

/** How many synchronisations this PE has been in. */
static inline uint32_t cw_node_number(const cw_node_sync_t *ns)
{
    return ns->number + ns->meeting;
}

/** The deposit of member i. odd: of a meeting, the lowest bit of its number, else 0. */
static inline cw_coll_deposit_t *cw_node_deposit(const cw_node_sync_t *ns, int i, unsigned odd)
{
    return ns->deposits[odd] ? &ns->deposits[odd][i] : cw_coll_at(ns->pes[i], ns->deposit[odd]);
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

/** The deposit for the value that this PE brings to the next meeting. */
static inline cw_coll_deposit_t *cw_node_next_deposit(const cw_node_sync_t *ns)
{
    return ns->deposit[(ns->meeting + 1) & 1];
}
/** The next synchronisation, where members meet. */
void cw_node_meet(cw_node_sync_t *ns);
/** What member i has brought to the last meeting. */
static inline const char *cw_node_brought(const cw_node_sync_t *ns, int i)
{
    return cw_node_deposit(ns, i, ns->meeting & 1)->value;
}

#endif
