// SPDX-License-Identifier: BSD-3-Clause
//
// Within a node everybody loads the blocks of the others where they are. Between nodes each leader sends its
// node's blocks once to every other leader, whose members load them from there: every block crosses to every
// node once.
#include "core/coll/gather.h"

#include "core/coll/map.h"
#include "core/coll/peer.h"
#include "core/rma.h"

/** Loads the node's own blocks, each PE from another start so that not all read the same memory at once. */
static void load_local_blocks(const cw_group_t *group, const cw_map_t *map, char *dest, const void *src,
                              const cw_blocks_t *blocks)
{
    for (int i = 0; i < map->nlocal; i++) {
        int rank = map->local[(map->mine + i) % map->nlocal];
        size_t nbytes = cw_block_nbytes(blocks, rank);
        if (nbytes)
            memcpy(dest + cw_block_offset(blocks, rank), cw_coll_at(cw_group_pe(group, rank), src), nbytes);
    }
}

/** Calls fn for each run of neighbouring blocks among the members of node k. */
static void each_run(const cw_map_t *map, int k, const cw_blocks_t *blocks,
                     void (*fn)(void *arg, uint64_t offset, size_t nbytes), void *arg)
{
    for (int i = map->begin[k]; i < map->begin[k + 1];) {
        int first = map->members[i], next = first;
        while (i < map->begin[k + 1] && map->members[i] == next)
            i++, next++;
        uint64_t offset = cw_block_offset(blocks, first);
        size_t nbytes = (size_t)(cw_block_offset(blocks, next) - offset);
        if (nbytes)
            fn(arg, offset, nbytes);
    }
}

typedef struct run {
    char *dest;
    int pe;
} run_t;

static void send_run(void *arg, uint64_t offset, size_t nbytes)
{
    const run_t *run = arg;
    cw_coll_put(run->pe, run->dest + offset, run->dest + offset, nbytes, true);
}

static void load_run(void *arg, uint64_t offset, size_t nbytes)
{
    const run_t *run = arg;
    memcpy(run->dest + offset, (char *)cw_coll_at(run->pe, run->dest) + offset, nbytes);
}

/** My node's blocks, complete in my dest, to the dest of every other leader. */
static void send_to_leaders(const cw_group_t *group, const cw_map_t *map, char *dest, const cw_blocks_t *blocks)
{
    for (int i = 1; i < map->nnodes; i++) {
        run_t run = {dest, cw_group_pe(group, cw_map_leader(map, (map->node + i) % map->nnodes))};
        each_run(map, map->node, blocks, send_run, &run);
    }
    cw_quiet(&cw_ctx_default);
}

void cw_gather_blocks(const cw_group_t *group, void *dest, const void *src, const cw_blocks_t *blocks)
{
    const cw_map_t *map = cw_map_of(group);
    load_local_blocks(group, map, dest, src, blocks);
    if (map->nnodes > 1) {
        if (cw_map_i_lead(map))
            send_to_leaders(group, map, dest, blocks);
        cw_sync(group);
        run_t run = {dest, cw_group_pe(group, map->local[0])};
        for (int k = 0; k < map->nnodes && !cw_map_i_lead(map); k++)
            if (k != map->node)
                each_run(map, k, blocks, load_run, &run);
    }
    cw_sync(group);
}
