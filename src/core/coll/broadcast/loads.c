// SPDX-License-Identifier: BSD-3-Clause
//
// On one node: the others load from the root's source, between two synchronisations.
#include "core/coll/broadcast/broadcast.h"

void cw_broadcast_loads(const cw_coll_call_t *c)
{
    cw_sync(c->group);
    cw_broadcast_within_nodes(c);
}
