// SPDX-License-Identifier: BSD-3-Clause
//
// On one node, through the root's scratch: the root need not wait for the others.
#include "core/coll/broadcast/broadcast.h"
#include "core/sync/fused.h"
#include "core/sync/sync.h"

void cw_broadcast_deposit(const cw_coll_call_t *c)
{
    char *deposit = cw_group_scratch(c->group);
    if (c->group->rank == c->root)
        memcpy(deposit, c->src, c->nbytes);
    cw_sync(c->group);
    if (cw_broadcast_copies(c))
        memcpy(c->dest, cw_call_at(c, c->root, deposit), c->nbytes);
}
