// SPDX-License-Identifier: BSD-3-Clause
//
// On one node: the root copies the message to its scratch; after one synchronisation the others
// load it, and the root need not wait for them.
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
