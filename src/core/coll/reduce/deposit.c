// SPDX-License-Identifier: BSD-3-Clause
//
// On one node: each PE combines all copies in the scratch, in rank order.
#include "core/coll/call.h"
#include "core/sync/fused.h"
#include "core/sync/sync.h"

void cw_reduce_deposit(const cw_coll_call_t *c)
{
    char *deposit = cw_group_scratch(c->group);
    memcpy(deposit, c->src, c->nbytes);
    cw_sync(c->group);
    memcpy(c->dest, cw_call_at(c, 0, deposit), c->nbytes);
    for (int rank = 1; rank < c->group->size; rank++)
        c->fn(c->dest, cw_call_at(c, rank, deposit), c->nelems);
}
