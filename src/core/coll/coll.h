// SPDX-License-Identifier: BSD-3-Clause
//
// Collectives over a group of PEs: node memory first, then a tree between node leaders. One
// algorithm a file.
//
// A group is the world, a team (core/sync/team.h) or an active set. The world and teams have
// synchronisation state of their own (core/sync/fused.h); an active set brings its symmetric words
// (pSync).
// All calls here are collective over the group and wait. Threads: one at a time for each group.
#ifndef CW_CORE_COLL_H
#define CW_CORE_COLL_H

#include "core/core.h"

typedef struct cw_group {
    int start, stride, size;     // world PE = start + rank * stride, unless there is a table;
                                 // stride may be negative
    int rank;                    // mine
    const int *pes;              // [size] world PEs of members that are no arithmetic sequence, or
                                 // NULL
    long *psync;                 // symmetric sync words of an active set (>= 16 longs, all zero
                                 // between uses)
    struct cw_group_sync *sync;  // of the world and of teams; NULL: an active set
} cw_group_t;

extern const cw_group_t *const cw_group_world;   // valid between init and finalize
extern const cw_group_t *const cw_group_shared;  // the PEs of this node

/** The world's PE behind a rank. */
static inline int cw_group_pe(const cw_group_t *group, int rank)
{
    return CW_UNLIKELY(group->pes != NULL) ? group->pes[rank] : group->start + rank * group->stride;
}

/** The rank of a PE of the world; -1: no member. */
int cw_group_rank_of(const cw_group_t *group, int pe);

static inline bool cw_group_is_world(const cw_group_t *group)
{
    return group == cw_group_world;
}

/** The world's group and the shared one; after the node object is mapped. */
void cw_coll_init(void);
void cw_coll_fini(void);
/** The next synchronisation of the world may take long: in a crowded node whoever waits sleeps at
 *  once. */
void cw_coll_patient(void);

/** Arrival and release only: completes nothing (shmem_sync). */
void cw_sync(const cw_group_t *group);
/** quiet on the default context, then sync (shmem_barrier). */
void cw_barrier(const cw_group_t *group);
/** Node-local barrier over all PEs of this node, used at init too. */
void cw_node_sync(void);

void cw_broadcast(const cw_group_t *group, void *dest, const void *src, size_t nbytes,
                  int root_rank, bool root_copies);
void cw_fcollect(const cw_group_t *group, void *dest, const void *src, size_t nbytes);
/** Each PE's own size; the offset comes from an exclusive prefix sum inside. */
void cw_collect(const cw_group_t *group, void *dest, const void *src, size_t nbytes);
void cw_alltoall(const cw_group_t *group, void *dest, const void *src, size_t nbytes);
/** Strides in bytes between consecutive elements of elem_nbytes; nelems to each PE. */
void cw_alltoalls(const cw_group_t *group, void *dest, const void *src, ptrdiff_t dest_stride,
                  ptrdiff_t src_stride, size_t elem_nbytes, size_t nelems);

/** acc[i] = acc[i] op in[i] for n elements; one per (type, operation), made by the front end's
 *  X-macros. */
typedef void (*cw_reduce_fn)(void *acc, const void *in, size_t nelems);
/** In place (dest == src) allowed. Every PE gets bit-identical results. */
void cw_reduce(const cw_group_t *group, void *dest, const void *src, size_t nelems,
               size_t elem_nbytes, cw_reduce_fn fn);
/** dest of rank i = sum of the src of ranks 0 .. i, or 0 .. i-1 when exclusive (zeros on rank 0).
 *  In place allowed. */
void cw_scan(const cw_group_t *group, void *dest, const void *src, size_t nelems,
             size_t elem_nbytes, bool exclusive, cw_reduce_fn sum);

// ----------------------------------------------- checking mode: do all members make the same call?
#define CW_CLAIM_NONE UINT64_MAX  // an argument that the call does not have, or that may differ

/** A collective call and those of its arguments that must be the same on all members. */
typedef struct cw_claim {
    const char *call;
    const void *dest, *source;  // symmetric, or NULL on all members
    uint64_t nelems, root, dst, sst, size, alignment;
    const void *ptr;  // block of the heap
} cw_claim_t;

static inline cw_claim_t cw_claim(const char *call)
{
    const uint64_t none = CW_CLAIM_NONE;
    return (cw_claim_t){.call = call,
                        .nelems = none,
                        .root = none,
                        .dst = none,
                        .sst = none,
                        .size = none,
                        .alignment = none};
}

/** Compares claims over the whole group; ends the job with both calls and PEs when two differ. One
 *  synchronisation more, so to be called by all members in checking mode, or by none. [waits] */
void cw_coll_agree(const cw_group_t *group, const cw_claim_t *claim);

#endif
