// SPDX-License-Identifier: BSD-3-Clause
//
// Collectives over a group of PEs (core/sync/group.h). All calls are collective over the group and
// wait. Threads: one at a time for each group.
#ifndef CW_CORE_COLL_H
#define CW_CORE_COLL_H

#include "core/sync/group.h"

void cw_broadcast(const cw_group_t *group, void *dest, const void *src, size_t nbytes,
                  int root_rank, bool root_copies);
/** dest is ready on all members before any calls: blocks may come before a member enters. */
void cw_fcollect(const cw_group_t *group, void *dest, const void *src, size_t nbytes);
/** nbytes may differ between PEs; blocks follow each other in rank order. */
void cw_collect(const cw_group_t *group, void *dest, const void *src, size_t nbytes);
/** sizes [size]: nbytes of all members, by rank. [waits] */
void cw_collect_sizes(const cw_group_t *group, size_t nbytes, uint64_t *sizes);
/** dest as for cw_fcollect. */
void cw_alltoall(const cw_group_t *group, void *dest, const void *src, size_t nbytes);
/** Strides in bytes between consecutive elements of elem_nbytes; nelems to each PE. */
void cw_alltoalls(const cw_group_t *group, void *dest, const void *src, ptrdiff_t dest_stride,
                  ptrdiff_t src_stride, size_t elem_nbytes, size_t nelems);

/** acc[i] = acc[i] op in[i] for nelems elements; by front ends, for each type and operation. */
typedef void (*cw_reduce_fn)(void *acc, const void *in, size_t nelems);
/** dest may equal src. All PEs get bit-identical results. */
void cw_reduce(const cw_group_t *group, void *dest, const void *src, size_t nelems,
               size_t elem_nbytes, cw_reduce_fn fn);
/** In private memory, in place. False, on all members: nothing was done, as the group has no way
 *  for such sizes. [waits] */
bool cw_reduce_private(const cw_group_t *group, void *data, size_t nelems, size_t elem_nbytes,
                       cw_reduce_fn fn);
/** dest of rank i = sum of the src of ranks 0 .. i, or 0 .. i-1 if exclusive. dest may equal
 *  src. */
void cw_scan(const cw_group_t *group, void *dest, const void *src, size_t nelems,
             size_t elem_nbytes, bool exclusive, cw_reduce_fn sum);

// ------------------------ small operands in private memory: one synchronisation carries them
/** Can nbytes travel so? Of collected blocks, those of all members. Never over active sets. */
bool cw_small_fits(const cw_group_t *group, size_t nbytes);
/** dest may equal src; NULL: this member wants no result. [waits] */
void cw_small_reduce(const cw_group_t *group, void *dest, const void *src, size_t nelems,
                     size_t elem_nbytes, cw_reduce_fn fn);
/** data: read at the root, written elsewhere. [waits] */
void cw_small_broadcast(const cw_group_t *group, void *data, size_t nbytes, int root_rank);
/** dest [size * nbytes]: the blocks of all members, by rank. [waits] */
void cw_small_collect(const cw_group_t *group, void *dest, const void *src, size_t nbytes);

// ----------------------------------------------- checking mode: do all members make the same call?
#define CW_CLAIM_NONE UINT64_MAX  // an argument that is absent or may differ

/** Which arguments a claim has, and their names. */
typedef enum cw_claim_kind {
    CW_CLAIM_SYMMETRIC,  // on symmetric memory
    CW_CLAIM_SPLIT,      // all of root, sst and size, as start, stride and size of a split
    CW_CLAIM_TYPED,      // dst, sst: numbers of type and operation
    CW_CLAIM_NAMED,      // the same, the operation as text
    CW_CLAIM_IMAGES      // root: an image; dst: bytes of an element; sst: its type as text
} cw_claim_kind_t;

/** A collective call and the arguments that must agree. */
typedef struct cw_claim {
    const char *call;
    const void *dest, *source;  // symmetric, or NULL on all members
    uint64_t nelems, root, dst, sst, size, alignment;
    const void *ptr;  // block of the heap
    cw_claim_kind_t kind;
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

/** Compares claims; two that differ end the job with a message that names both calls and PEs,
 *  unless a member's claim has no call: its call is not compared. Collective over the group.
 *  [waits] */
void cw_coll_agree(const cw_group_t *group, const cw_claim_t *claim);
/** For buffers in any memory; CW_CLAIM_NONE: no such argument. op_name: instead of a number, or
 *  NULL. */
void cw_coll_agree_on(const cw_group_t *group, const char *call, uint64_t nelems, uint64_t root,
                      uint64_t type, uint64_t op, const char *op_name);
/** For a call whose arguments may differ. */
static inline void cw_coll_agree_call(const cw_group_t *group, const char *call)
{
    const uint64_t none = CW_CLAIM_NONE;
    cw_coll_agree_on(group, call, none, none, none, none, NULL);
}

#endif
