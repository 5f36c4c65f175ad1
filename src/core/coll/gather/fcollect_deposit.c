// SPDX-License-Identifier: BSD-3-Clause
//
// On one node, through the scratch.
#include "core/coll/call.h"
#include "core/sync/fused.h"
#include "core/sync/sync.h"

void cw_fcollect_deposit(const cw_coll_call_t *c)
{
    char *deposit = cw_group_scratch(c->group);
    memcpy(deposit, c->src, c->nbytes);
    cw_sync(c->group);
    for (int i = 0; i < c->group->size; i++) {
        int rank = (c->group->rank + i) % c->group->size;
        memcpy(c->dest + (size_t)rank * c->nbytes, cw_call_at(c, rank, deposit), c->nbytes);
    }
}
