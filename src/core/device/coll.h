// SPDX-License-Identifier: BSD-3-Clause
//
// Collectives with device memory as dest, src or both: puts, gets and synchronisations. Processors
// compute reductions: a member gathers its part of all operands, computes in rank order, and puts
// the result to all, so results are bit-identical.
//
// As in core/coll/coll.h, calls are collective over the group and wait; operands are symmetric. A
// member's work grows with the group.
#ifndef CW_CORE_DEVICE_COLL_H
#define CW_CORE_DEVICE_COLL_H

#include "core/coll/coll.h"
#include "core/mem/foreign.h"

/** Is one of them device memory? The same on all members. */
static inline bool cw_device_takes_part(const void *dest, const void *src)
{
    return cw_foreign_is_symmetric(dest, 1) || cw_foreign_is_symmetric(src, 1);
}

void cw_device_broadcast(const cw_group_t *group, void *dest, const void *src, size_t nbytes,
                         int root_rank, bool root_copies);
void cw_device_fcollect(const cw_group_t *group, void *dest, const void *src, size_t nbytes);
void cw_device_collect(const cw_group_t *group, void *dest, const void *src, size_t nbytes);
void cw_device_alltoall(const cw_group_t *group, void *dest, const void *src, size_t nbytes);
void cw_device_alltoalls(const cw_group_t *group, void *dest, const void *src,
                         ptrdiff_t dest_stride, ptrdiff_t src_stride, size_t elem_nbytes,
                         size_t nelems);
void cw_device_reduce(const cw_group_t *group, void *dest, const void *src, size_t nelems,
                      size_t elem_nbytes, cw_reduce_fn fn);
void cw_device_scan(const cw_group_t *group, void *dest, const void *src, size_t nelems,
                    size_t elem_nbytes, bool exclusive, cw_reduce_fn sum);

#endif
