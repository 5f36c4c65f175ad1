// SPDX-License-Identifier: BSD-3-Clause
//
// All operands travel with one synchronisation.
#include "core/coll/scan/scan.h"
#include "core/sync/fused.h"
#include "core/sync/sync.h"

static const void *entry_of(const cw_coll_call_t *c, const char *table, int rank)
{
    return table + (size_t)rank * c->nbytes;
}

void cw_scan_fused(const cw_coll_call_t *c)
{
    _Alignas(16) char table[CW_COLL_MEDIUM];
    cw_gather_fused(c->group, table, c->src, c->nbytes);
    cw_scan_sum_up(c, entry_of, table);
}
