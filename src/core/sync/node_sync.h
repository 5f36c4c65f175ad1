// SPDX-License-Identifier: BSD-3-Clause
//
// Synchronisation of the members of a group on one node.
//
//     arrive   all. The last arriver (of several nodes the leader, then) is the closer: it may
//              combine deposits and synchronise with other nodes, then releases all.
//     wait     the other members
//
// Few members with a processor each *meet* instead, after some of these: without closer and
// release. A deposit may be read until the reader arrives in the next meeting.
//
// Happens-before: what a PE did before cw_node_arrive() is visible to the closer, and after the
// release to all; before cw_node_meet(), to all after it. Threads: one at a time for each group.
// Blocking: spins briefly, yields, then sleeps.
#ifndef CW_CORE_NODE_SYNC_H
#define CW_CORE_NODE_SYNC_H

#include <stdbool.h>

#include "base/wait.h"
#include "core/sync/area.h"
#include "core/sync/peer.h"

typedef struct cw_node_sync {
    cw_coll_area_t *area;
    int mine, nlocal;  // index of this PE on the node, and their number
    int nnodes;        // of the group
    bool helps;  // waiting PEs may be needed elsewhere, or are observed
    cw_coll_counter_t *counter;  // on which this PE counts
    uint32_t counter_members, ncounters;
    cw_coll_deposit_t *deposit[2];   // of this PE; the second may be missing
    cw_coll_deposit_t *deposits[2];  // [nlocal]; NULL: a team's, at one symmetric address
    const int *pes;                  // [nlocal]
    uint32_t number;   // of the synchronisation that this PE is, or was last, in
    uint32_t missing;  // counts missing when this PE arrived
    uint32_t meeting;  // as number, of meetings
    bool can_meet;     // the closer may let members meet
    bool meets;        // the next one is a meeting; the same on all members
    _Atomic uint64_t *cpus;       // of the node's PEs
    int ncpus;
    bool counted, patient;        // ncpus is final; cw_node_sync_patient was called
    bool roomy;                   // each PE has a processor
    cwu_wait_plan_t plan;
} cw_node_sync_t;

/** Of the world; publishes this PE's processors. pes: by slot. */
void cw_node_sync_init(cw_node_sync_t *ns, cw_coll_area_t *area, const int *pes, int slot,
                       int nslots, int nnodes);
/** Of a team. pes: on this node, kept by the caller. cell, odd: this PE's, symmetric; odd NULL:
 *  never meets. */
void cw_node_sync_join(cw_node_sync_t *ns, cw_team_cell_t *cell, cw_coll_deposit_t *odd,
                       const int *pes, int mine, int nlocal, int nnodes);
/** The team's next synchronisation is its last, and no meeting. */
static inline void cw_node_sync_part(cw_node_sync_t *ns)
{
    ns->meets = false;
}
/** After the last synchronisation, by all members. Never waits. */
void cw_node_sync_leave(cw_node_sync_t *ns);
/** Are this PE's cells fit for another team? Member 0's are when the others have left. */
bool cw_node_sync_left(cw_node_sync_t *ns);

/** From now on waiting PEs sleep at once if PEs outnumber processors. */
void cw_node_sync_patient(cw_node_sync_t *ns);

/** Synchronisations that this PE has been in. */
static inline uint32_t cw_node_number(const cw_node_sync_t *ns)
{
    return ns->number + ns->meeting;
}

/** odd: of a meeting, the lowest bit of its number; else 0. */
static inline cw_coll_deposit_t *cw_node_deposit(const cw_node_sync_t *ns, int i, unsigned odd)
{
    return ns->deposits[odd] ? &ns->deposits[odd][i] : cw_coll_at(ns->pes[i], ns->deposit[odd]);
}

/** Changes when the last member arrives. */
static inline const _Atomic uint32_t *cw_node_arrivals(const cw_node_sync_t *ns)
{
    return ns->ncounters > 1 ? &ns->area->arrived : &ns->counter->arrived;
}

/** True: this PE is the last arriver. */
bool cw_node_arrive(cw_node_sync_t *ns);
bool cw_node_all_arrived(const cw_node_sync_t *ns);
/** By the leader of one of several nodes. */
void cw_node_await_all(cw_node_sync_t *ns);
/** By the closer. The result, if any, is in area->result. */
void cw_node_release(cw_node_sync_t *ns);
/** Is this PE's synchronisation over? */
static inline bool cw_node_released(const cw_node_sync_t *ns)
{
    // pairs with cw_node_release()
    return atomic_load_explicit(&ns->area->released, memory_order_acquire) == ns->number;
}
/** By the other members. */
void cw_node_await_release(cw_node_sync_t *ns);

/** For the value that this PE brings to the next meeting. */
static inline cw_coll_deposit_t *cw_node_next_deposit(const cw_node_sync_t *ns)
{
    return ns->deposit[(ns->meeting + 1) & 1];
}
/** The next synchronisation, where members meet. */
void cw_node_meet(cw_node_sync_t *ns);
/** To the last meeting, by member i. */
static inline const char *cw_node_brought(const cw_node_sync_t *ns, int i)
{
    return cw_node_deposit(ns, i, ns->meeting & 1)->value;
}

#endif
