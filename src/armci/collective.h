// SPDX-License-Identifier: BSD-3-Clause
//
// Collectives on private memory of any size, over those of core, which want symmetric memory.
// Collective over the group; all wait. Threads: one at a time in a process.
#ifndef ACI_COLLECTIVE_H
#define ACI_COLLECTIVE_H

#include "armci/aci.h"

/** The most bytes of one element of a reduction. */
enum { ACI_ELEM_MOST = 1 << 20 };

void aci_broadcast(const cw_group_t *group, void *buf, size_t nbytes, int root_rank);
/** x[i] of all members, combined in the order of ranks; the same bits on all of them. */
void aci_reduce(const cw_group_t *group, void *x, size_t nelems, size_t elem_nbytes,
                cw_reduce_fn fn);

#endif
