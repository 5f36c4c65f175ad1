// SPDX-License-Identifier: BSD-3-Clause
//
// Groups of PEs and their synchronisation. A group is the world, a team (core/sync/team.h) or an
// active set. The world and teams have synchronisation state of their own (core/sync/fused.h); an
// active set brings its symmetric words (pSync). Calls marked [waits] are collective over the
// group. Threads: one at a time for each group.
#ifndef CW_CORE_GROUP_H
#define CW_CORE_GROUP_H

#include "core/rma/context.h"

typedef struct cw_group {
    int start, stride, size;  // PE = start + rank * stride, unless there is a table; stride may be
                              // negative
    int rank;                 // of this PE
    const int *pes;           // [size] the members if they are no arithmetic sequence, else NULL
    long *psync;              // 16 symmetric words of an active set, zero between uses
    struct cw_group_sync *sync;  // of the world and of teams; NULL: an active set
} cw_group_t;

extern const cw_group_t *const cw_group_world;   // valid between init and finalize
extern const cw_group_t *const cw_group_shared;  // the PEs of this node

/** The PE of a rank. */
static inline int cw_group_pe(const cw_group_t *group, int rank)
{
    return CW_UNLIKELY(group->pes != NULL) ? group->pes[rank] : group->start + rank * group->stride;
}

/** The rank of a PE; -1: it is no member. */
int cw_group_rank_of(const cw_group_t *group, int pe);

static inline bool cw_group_is_world(const cw_group_t *group)
{
    return group == cw_group_world;
}

/** Makes the world and the shared team; after the node object is mapped. */
void cw_groups_init(void);
void cw_groups_fini(void);
/** Quiet on the default context, and a synchronisation of all PEs that only PEs which end make: it
 *  matches no collective of the program. last: it may take long, since PEs end as unevenly as they
 *  started; with more PEs than processors, those that wait sleep at once. [waits] */
void cw_farewell(bool last);

/** Arrival and release only: completes no transfers (shmem_sync). [waits] */
void cw_sync(const cw_group_t *group);
/** Quiet on the default context, then cw_sync (shmem_barrier). [waits] */
void cw_barrier(const cw_group_t *group);

#endif
