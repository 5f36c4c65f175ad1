// SPDX-License-Identifier: BSD-3-Clause
//
// Blocks of different sizes. World on one node: sizes and small blocks wait in the scratch, one synchronisation if
// all blocks are small, else the large ones are loaded from where they are, and a second. Otherwise: first everybody learns all sizes: from its node's members by loads, from other
// nodes by gets; then the blocks move as in fcollect.
#include "core/coll/coll.h"

#include <stdlib.h>

#include "core/coll/gather.h"
#include "core/coll/map.h"
#include "core/coll/peer.h"
#include "core/coll/sync.h"
#include "core/rma.h"

#define DEPOSIT_MOST 8192u  // bytes of a block

/** Sizes of the members of other nodes: read one by one where they are published. */
static void fetch_remote_sizes(const cw_group_t *group, const cw_map_t *map, uint64_t *sizes)
{
    const uint64_t *published = cw_collect_word();
    for (int k = 0; k < map->nnodes; k++) {
        if (k == map->node)
            continue;
        for (int i = map->begin[k]; i < map->begin[k + 1]; i++)
            cw_coll_get_nbi(cw_group_pe(group, map->members[i]), &sizes[map->members[i]], published, sizeof *sizes);
    }
    cw_quiet(&cw_ctx_default);
}

static void learn_sizes(const cw_group_t *group, uint64_t *sizes, size_t mine)
{
    const cw_map_t *map = cw_map_of(group);
    uint64_t *published = cw_collect_word();
    *published = mine;
    cw_sync(group);
    for (int i = 0; i < map->nlocal; i++)
        sizes[map->local[i]] = *(const uint64_t *)cw_coll_at(cw_group_pe(group, map->local[i]), published);
    if (map->nnodes > 1)
        fetch_remote_sizes(group, map, sizes);
}

// ---------------------------------------------------------------- world on one node

typedef struct deposit {
    uint64_t nbytes;
    uint64_t pad;
    char bytes[DEPOSIT_MOST];
} deposit_t;
_Static_assert(sizeof(deposit_t) <= CW_SCRATCH_HALF, "fits one half");

static const deposit_t *deposit_of(const cw_group_t *group, int rank, const deposit_t *mine)
{
    return cw_coll_at(cw_group_pe(group, rank), mine);
}

static void collect_deposit(const cw_group_t *group, char *dest, const void *src, size_t nbytes)
{
    deposit_t *mine = (deposit_t *)(void *)cw_world_scratch();
    bool all_small = true;
    mine->nbytes = nbytes;
    if (nbytes && nbytes <= DEPOSIT_MOST)
        memcpy(mine->bytes, src, nbytes);
    cw_sync(group);
    for (int rank = 0; rank < group->size; rank++) {
        const deposit_t *d = deposit_of(group, rank, mine);
        bool small = d->nbytes <= DEPOSIT_MOST;
        memcpy(dest, small ? d->bytes : cw_coll_at(cw_group_pe(group, rank), src), d->nbytes);
        dest += d->nbytes;
        all_small = all_small && small;
    }
    if (!all_small)
        cw_sync(group);  // some src were read in place
}

// ---------------------------------------------------------------- any group

void cw_collect(const cw_group_t *group, void *dest, const void *src, size_t nbytes)
{
    if (cw_world.nnodes == 1 && cw_group_is_world(group)) {
        collect_deposit(group, dest, src, nbytes);
        return;
    }
    uint64_t *offset = calloc((size_t)group->size + 1, sizeof *offset);
    if (!offset)
        cwu_fatal("out of memory for the sizes of %d PEs in a collect", group->size);
    learn_sizes(group, offset + 1, nbytes);
    for (int rank = 0; rank < group->size; rank++)
        offset[rank + 1] += offset[rank];
    cw_blocks_t blocks = {.offset = offset};
    cw_gather_blocks(group, dest, src, &blocks);
    free(offset);
}
