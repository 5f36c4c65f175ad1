// SPDX-License-Identifier: BSD-3-Clause
//
// Groups of processes: teams of core, and parts of them. What clients hold is ARMCI_Group, by
// value: a pointer to an aci_group_t, which is checked at each use, and rank and size.
//
// A group is made by its members alone, which agree by messages (core/p2p). Threads: one at a time
// for each group; groups are made by one thread at a time.
#ifndef ACI_GROUP_H
#define ACI_GROUP_H

#include "armci/aci.h"

typedef struct aci_group {
    const cw_group_t *team;
    int id;  // of this process; never used again
    // parts, made when they are first used
    const cw_group_t *node;     // the members of this node
    const cw_group_t *masters;  // the lowest rank of each node, where that is this process
    void *comm;                 // what armci_group_comm gave out; NULL: nothing
    struct aci_group *next;
} aci_group_t;

/** NULL stands for all processes. Fatal: no live group. NULL: this process is no member. */
aci_group_t *aci_group_find(const char *call, const ARMCI_Group *group);
/** The same; fatal: this process is no member. */
aci_group_t *aci_group_of(const char *call, const ARMCI_Group *group);

/** The processes of a scope (SCOPE_ALL, SCOPE_NODE, SCOPE_MASTERS); NULL: this process is none of
 *  them. Collective over these, the first time. [waits] */
const cw_group_t *aci_group_scope(const char *call, aci_group_t *group, int scope);

/** A team of these PEs, of which this is number `rank`. Collective over them alone. [waits] */
const cw_group_t *aci_team_make(const char *call, const int *pes, int size, int rank);

// ---------------------------------------------------------------- collectives (collective.c)
// On private memory of any size, over those of core, which want symmetric memory. Collective over
// the group; all wait. Threads: one at a time in a process.
/** The most bytes of one element of a reduction. */
enum { ACI_ELEM_MOST = 1 << 20 };

void aci_broadcast(const cw_group_t *group, void *buf, size_t nbytes, int root_rank);
/** x[i] of all members, combined in the order of ranks; the same bits on all of them. */
void aci_reduce(const cw_group_t *group, void *x, size_t nelems, size_t elem_nbytes,
                cw_reduce_fn fn);

// ---------------------------------------------------------------- life
void aci_groups_open(void);
/** Frees what programs have left. */
void aci_groups_close(void);

#endif
