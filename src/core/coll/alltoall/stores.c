// SPDX-License-Identifier: BSD-3-Clause
//
// On one node: stores into the dest of the others, which the standard has ready before any PE
// calls.
#include "core/coll/alltoall/alltoall.h"

void cw_alltoall_stores(const cw_coll_call_t *c)
{
    cw_alltoall_store_local(c);
    cw_sync(c->group);
}
