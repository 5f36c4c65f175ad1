// SPDX-License-Identifier: BSD-3-Clause
//
// On one node: each PE packs its blocks into its scratch; after one synchronisation all load
// theirs.
#include "core/coll/alltoall/alltoall.h"
#include "core/sync/fused.h"
#include "core/sync/sync.h"

void cw_alltoall_deposit(const cw_coll_call_t *c)
{
    char *deposit = cw_group_scratch(c->group);
    int n = c->group->size, me = c->group->rank;
    if (c->src_stride == (ptrdiff_t)c->elem_nbytes)
        memcpy(deposit, c->src, c->nbytes * (size_t)n);
    else
        for (int rank = 0; rank < n; rank++)
            cw_alltoall_pack(c, rank, deposit + (size_t)rank * c->nbytes);
    cw_sync(c->group);
    for (int i = 0; i < n; i++) {
        int rank = (me + i) % n;
        cw_alltoall_unpack(c, rank, (char *)cw_call_at(c, rank, deposit) + (size_t)me * c->nbytes);
    }
}
