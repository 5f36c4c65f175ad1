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

#include "core/sync/group.h"

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
