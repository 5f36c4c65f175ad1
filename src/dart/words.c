// SPDX-License-Identifier: BSD-3-Clause
//
// Words of each member for all members: of a small team with one synchronisation.
#include <string.h>

#include "core/coll/coll.h"
#include "core/sync/area.h"
#include "core/sync/fused.h"
#include "dart/drt.h"

typedef struct words_op {
    cw_fused_op_t op;  // first: what core sees
    size_t n;
} words_op_t;

static void merge(const cw_fused_op_t *op, void *acc, const void *in)
{
    for (size_t i = 0; i < ((const words_op_t *)op)->n; i++)
        ((uint64_t *)acc)[i] |= ((const uint64_t *)in)[i];
}

/** Through the team's stage, as many as fit: in | of all. */
static void exchange_staged(const cw_group_t *group, const uint64_t *mine, size_t nwords,
                            uint64_t *all)
{
    size_t nbytes;
    uint64_t *stage = (uint64_t *)(void *)drt_stage(group, &nbytes);
    const size_t n = (size_t)group->size, each = nwords * sizeof *mine;
    if ((n + 1) * each > nbytes)
        cwu_fatal("a team of %d units has a number that is for fewer than %zu", group->size,
                  nbytes / each);
    memcpy(stage, mine, each);
    cw_sync(group);  // no member reads what the last exchange has brought
    cw_fcollect(group, stage + nwords, stage, each);
    memcpy(all, stage + nwords, n * each);
}

void drt_exchange(const cw_group_t *group, const uint64_t *mine, size_t nwords, uint64_t *all)
{
    const size_t n = (size_t)group->size * nwords, nbytes = n * sizeof *mine;
    uint64_t value[CW_COLL_SMALL / sizeof(uint64_t)] CW_CACHE_ALIGNED;
    if (nbytes > sizeof value || nbytes > cw_fused_most(group)) {
        exchange_staged(group, mine, nwords, all);
        return;
    }
    const words_op_t op = {{merge}, n};
    memset(value, 0, sizeof value);
    memcpy(value + (size_t)group->rank * nwords, mine, nwords * sizeof *mine);
    cw_fused(group, value, nbytes, &op.op);
    memcpy(all, value, nbytes);
}
