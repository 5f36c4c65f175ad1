// SPDX-License-Identifier: BSD-3-Clause
//
// All blocks travel with one synchronisation.
#include "core/coll/call.h"
#include "core/sync/fused.h"
#include "core/sync/sync.h"

void cw_fcollect_fused(const cw_coll_call_t *c)
{
    _Alignas(16) char table[CW_COLL_MEDIUM];
    cw_gather_fused(c->group, table, c->src, c->nbytes);
    memcpy(c->dest, table, c->nbytes * (size_t)c->group->size);
}
