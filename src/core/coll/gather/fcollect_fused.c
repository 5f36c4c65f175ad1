// SPDX-License-Identifier: BSD-3-Clause
//
// All blocks travel with one synchronisation.
#include "core/coll/call.h"
#include "core/sync/fused.h"
#include "core/sync/sync.h"

void cw_fcollect_fused(const cw_coll_call_t *c)
{
    cw_gather_fused(c->group, c->dest, c->src, c->nbytes);
}
