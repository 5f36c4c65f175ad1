// SPDX-License-Identifier: BSD-3-Clause
//
// The call, and the sums of its algorithms.
#include "core/coll/scan/scan.h"

enum { BEFORE_NBYTES = 512 };  // kept at a time: the caller's stack may be small

static void step_exclusive(const cw_coll_call_t *c, char *acc, const char *in, char *result,
                           size_t nelems)
{
    _Alignas(16) char before[BEFORE_NBYTES];
    size_t most = sizeof before / c->elem_nbytes;
    for (size_t n; nelems > 0; nelems -= n) {
        n = nelems < most ? nelems : most;
        size_t nbytes = n * c->elem_nbytes;
        memcpy(before, acc, nbytes);
        c->fn(acc, in, n);
        memcpy(result, before, nbytes);
        acc += nbytes, in += nbytes, result += nbytes;
    }
}

void cw_scan_step(const cw_coll_call_t *c, bool first, void *acc, const void *in, void *result,
                  size_t nelems)
{
    size_t nbytes = nelems * c->elem_nbytes;
    if (c->exclusive && !first) {
        step_exclusive(c, acc, in, result, nelems);
        return;
    }
    if (first)
        memcpy(acc, in, nbytes);
    else
        c->fn(acc, in, nelems);
    if (c->exclusive)
        memset(result, 0, nbytes);
    else
        memcpy(result, acc, nbytes);
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
