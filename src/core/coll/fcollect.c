// SPDX-License-Identifier: BSD-3-Clause
#include "core/coll/coll.h"

#include "core/coll/gather.h"
#include "core/coll/map.h"
#include "core/coll/peer.h"
#include "core/coll/sync.h"

#define DEPOSIT_MOST 8192u  // bytes of a block: above, a second synchronisation is cheaper than a copy

/** World on one node, small blocks: copies of the blocks wait in the scratch, one synchronisation. */
static void fcollect_deposit(const cw_group_t *group, char *dest, const void *src, size_t nbytes)
{
    char *deposit = cw_world_scratch();
    memcpy(deposit, src, nbytes);
    cw_sync(group);
    for (int i = 0; i < group->size; i++) {
        int rank = (group->rank + i) % group->size;
        memcpy(dest + (size_t)rank * nbytes, cw_coll_at(cw_group_pe(group, rank), deposit), nbytes);
    }
}

void cw_fcollect(const cw_group_t *group, void *dest, const void *src, size_t nbytes)
{
    if (nbytes == 0) {
        cw_sync(group);
        return;
    }
    if (cw_world.nnodes == 1 && cw_group_is_world(group) && nbytes <= DEPOSIT_MOST) {
        fcollect_deposit(group, dest, src, nbytes);
        return;
    }
    cw_blocks_t blocks = {.each = nbytes};
    cw_sync(group);
    cw_gather_blocks(group, dest, src, &blocks);
}
