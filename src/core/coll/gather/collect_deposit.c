// SPDX-License-Identifier: BSD-3-Clause
//
// On one node, through the scratch: sizes, and blocks that are small. Large ones are loaded from
// src, after which all synchronise again.
#include "core/coll/call.h"
#include "core/sync/fused.h"
#include "core/sync/sync.h"

#define DEPOSIT_MOST 8192u  // bytes of a block

typedef struct deposit {
    uint64_t nbytes;
    uint64_t pad;
    char bytes[DEPOSIT_MOST];
} deposit_t;
_Static_assert(sizeof(deposit_t) <= CW_SCRATCH_HALF, "fits one half");

void cw_collect_deposit(const cw_coll_call_t *c)
{
    deposit_t *mine = (deposit_t *)(void *)cw_group_scratch(c->group);
    char *dest = c->dest;
    bool all_small = true;
    mine->nbytes = c->own_nbytes;
    if (c->own_nbytes && c->own_nbytes <= DEPOSIT_MOST)
        memcpy(mine->bytes, c->src, c->own_nbytes);
    cw_sync(c->group);
    for (int rank = 0; rank < c->group->size; rank++) {
        const deposit_t *d = cw_call_at(c, rank, mine);
        bool small = d->nbytes <= DEPOSIT_MOST;
        memcpy(dest, small ? d->bytes : cw_call_at(c, rank, c->src), d->nbytes);
        dest += d->nbytes;
        all_small = all_small && small;
    }
    if (!all_small)  // other members have read src
        cw_sync(c->group);
}
