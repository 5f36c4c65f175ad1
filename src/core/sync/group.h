// SPDX-License-Identifier: BSD-3-Clause
//
// Groups: the world, teams (team.h) and active sets, which bring symmetric words of their own
// (pSync). Calls marked [waits] are collective. Threads: one at a time for each group.
#ifndef CW_CORE_GROUP_H
#define CW_CORE_GROUP_H

#include "core/rma/context.h"

typedef struct cw_group {
    int start, stride, size;  // PE = start + rank * stride, without pes; stride may be negative
    int rank;                 // of this PE
    const int *pes;           // [size] if they are no arithmetic sequence, else NULL
    long *psync;              // [16] symmetric, of an active set; zero between uses
    struct cw_group_sync *sync;  // NULL: an active set
} cw_group_t;

extern const cw_group_t *const cw_group_world;   // valid between init and finalize
extern const cw_group_t *const cw_group_shared;  // the PEs of this node

static inline int cw_group_pe(const cw_group_t *group, int rank)
{
    return CW_UNLIKELY(group->pes != NULL) ? group->pes[rank] : group->start + rank * group->stride;
}

/** -1: no member. */
int cw_group_rank_of(const cw_group_t *group, int pe);

static inline bool cw_group_is_world(const cw_group_t *group)
{
    return group == cw_group_world;
}

/** After the node object is mapped. */
void cw_groups_init(void);
void cw_groups_fini(void);
/** Quiet on the default context, then a synchronisation of PEs that end, which matches no
 *  collective of the program. last: it may take long, so with more PEs than processors waiting PEs
 *  sleep at once. [waits] */
void cw_farewell(bool last);

/** Has any PE CW_THREAD_MULTIPLE? The first call of an epoch synchronises all PEs, and matches no
 *  collective of the program. Threads: any. [waits] */
bool cw_threads_anywhere(void);

/** Completes no transfers (shmem_sync). [waits] */
void cw_sync(const cw_group_t *group);
/** Quiet on the default context, then cw_sync (shmem_barrier). [waits] */
void cw_barrier(const cw_group_t *group);

#endif
