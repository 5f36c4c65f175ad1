// SPDX-License-Identifier: BSD-3-Clause
//
// On one node: each PE stores its blocks into the dest of the others. The standard has dest ready
// on all of them before any PE calls, so nothing is waited for in the beginning; one
// synchronisation says that all blocks have come.
#include "core/coll/alltoall/alltoall.h"

void cw_alltoall_stores(const cw_coll_call_t *c)
{
    cw_alltoall_store_local(c);
    cw_sync(c->group);
}
