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

void aci_groups_open(void);
/** Frees what programs have left. */
void aci_groups_close(void);

#endif
