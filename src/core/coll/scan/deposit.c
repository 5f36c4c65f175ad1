// SPDX-License-Identifier: BSD-3-Clause
//
// On one node, through the scratch: each PE adds up the operands before its own.
#include "core/coll/scan/scan.h"
#include "core/sync/fused.h"
#include "core/sync/sync.h"

static const void *deposit_of(const cw_coll_call_t *c, const char *deposit, int rank)
{
    return cw_call_at(c, rank, deposit);
}

void cw_scan_deposit(const cw_coll_call_t *c)
{
    char *deposit = cw_group_scratch(c->group);
    memcpy(deposit, c->src, c->nbytes);
    cw_sync(c->group);
    cw_scan_sum_up(c, deposit_of, deposit);
}
