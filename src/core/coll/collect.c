// SPDX-License-Identifier: BSD-3-Clause
//
// Blocks of different sizes. First everybody learns all sizes: from its node's members by loads, from other
// nodes by gets; then the blocks move as in fcollect.
#include "core/coll/coll.h"

#include <stdlib.h>

#include "core/coll/gather.h"
#include "core/coll/map.h"
#include "core/coll/peer.h"
#include "core/coll/sync.h"
#include "core/rma.h"

/** Sizes of the members of other nodes: read one by one where they are published. */
static void fetch_remote_sizes(const cw_group_t *group, const cw_map_t *map, uint64_t *sizes)
{
    const uint64_t *published = cw_collect_word();
    for (int k = 0; k < map->nnodes; k++) {
        if (k == map->node)
            continue;
        for (int i = map->begin[k]; i < map->begin[k + 1]; i++)
            cw_coll_get_nbi(cw_group_pe(group, map->members[i]), &sizes[map->members[i]], published,
                            sizeof *sizes);
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

void cw_collect(const cw_group_t *group, void *dest, const void *src, size_t nbytes)
{
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
