// SPDX-License-Identifier: BSD-3-Clause
//
// Collectives over a group of PEs: node memory first, then a tree between node leaders. One algorithm a file.
//
// A group is the world or an active set (start, stride, size). Sync state of the world lives in the control area of
// the node object (cw_coll_area in core/layout.h); an active set brings its own symmetric words (pSync).
// All calls here are collective over the group and wait.
#ifndef CW_CORE_COLL_H
#define CW_CORE_COLL_H

#include "core/core.h"

typedef struct cw_group {
    int start, stride, size;  // world PE = start + rank * stride
    int rank;                 // mine
    long *psync;  // symmetric sync words of an active set (>= 16 longs, all zero between uses), or NULL: world
} cw_group_t;

extern const cw_group_t *cw_group_world;  // valid between init and finalize

/** The world's group; after the node object is mapped. */
void cw_coll_init(void);
void cw_coll_fini(void);

/** Arrival and release only: completes nothing (shmem_sync). */
void cw_sync(const cw_group_t *group);
/** quiet on the default context, then sync (shmem_barrier). */
void cw_barrier(const cw_group_t *group);
/** Node-local barrier over all PEs of this node, used at init too. */
void cw_node_sync(void);

void cw_broadcast(const cw_group_t *group, void *dest, const void *src, size_t nbytes, int root_rank, bool root_copies);
void cw_fcollect(const cw_group_t *group, void *dest, const void *src, size_t nbytes);
/** Each PE's own size; the offset comes from an exclusive prefix sum inside. */
void cw_collect(const cw_group_t *group, void *dest, const void *src, size_t nbytes);
void cw_alltoall(const cw_group_t *group, void *dest, const void *src, size_t nbytes);
/** Strides in bytes between consecutive elements of elem_nbytes; nelems to each PE. */
void cw_alltoalls(const cw_group_t *group, void *dest, const void *src, ptrdiff_t dest_stride, ptrdiff_t src_stride,
                  size_t elem_nbytes, size_t nelems);

/** acc[i] = acc[i] op in[i] for n elements; one per (type, operation), made by the front end's X-macros. */
typedef void (*cw_reduce_fn)(void *acc, const void *in, size_t nelems);
/** In place (dest == src) allowed. Every PE gets bit-identical results. */
void cw_reduce(const cw_group_t *group, void *dest, const void *src, size_t nelems, size_t elem_nbytes,
               cw_reduce_fn fn);

#endif
