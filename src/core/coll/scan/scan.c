// SPDX-License-Identifier: BSD-3-Clause
//
// The call, and the sums that its algorithms are made of.
#include "core/coll/scan/scan.h"

void cw_scan_step(const cw_coll_call_t *c, bool first, void *acc, const void *in, void *result,
                  size_t nelems)
{
    _Alignas(16) char before[CW_SCAN_STRIP_NBYTES];
    size_t nbytes = nelems * c->elem_nbytes;
    if (c->exclusive && first)
        memset(before, 0, nbytes);
    else if (c->exclusive)
        memcpy(before, acc, nbytes);
    if (first)
        memcpy(acc, in, nbytes);
    else
        c->fn(acc, in, nelems);
    memcpy(result, c->exclusive ? before : acc, nbytes);
}

void cw_scan_sum_up(const cw_coll_call_t *c, cw_scan_operand_fn operand, const char *base)
{
    int end = c->exclusive ? c->group->rank : c->group->rank + 1;
    if (end == 0)
        memset(c->dest, 0, c->nbytes);
    else
        memcpy(c->dest, operand(c, base, 0), c->nbytes);
    for (int rank = 1; rank < end; rank++)
        c->fn(c->dest, operand(c, base, rank), c->nelems);
}

void cw_scan(const cw_group_t *group, void *dest, const void *src, size_t nelems,
             size_t elem_nbytes, bool exclusive, cw_reduce_fn sum)
{
    cw_coll_call_t c = {.kind = CW_COLL_scan,
                        .group = group,
                        .dest = dest,
                        .src = src,
                        .nbytes = nelems * elem_nbytes,
                        .nelems = nelems,
                        .elem_nbytes = elem_nbytes,
                        .fn = sum,
                        .exclusive = exclusive};
    cw_coll_run_or_sync(&c);
}
