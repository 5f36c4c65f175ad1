// SPDX-License-Identifier: BSD-3-Clause
//
// On one node: loads from the src of the others.
#include "core/coll/alltoall/alltoall.h"

void cw_alltoall_loads(const cw_coll_call_t *c)
{
    cw_sync(c->group);
    cw_alltoall_load_local(c);
    cw_sync(c->group);
}
