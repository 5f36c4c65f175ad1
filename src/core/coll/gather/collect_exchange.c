// SPDX-License-Identifier: BSD-3-Clause
//
// Leaders send sizes and blocks of their nodes to all others, as one synchronisation. Cells are as
// large as the scratch allows, so no PE need know the others' sizes:
//
//     [sizes of the node's members] [their blocks, behind each other]
//
// A long block of a node's only member goes from src. Blocks that do not fit stay behind, as the
// sizes tell: all then take an algorithm that needs sizes.
#include <stdlib.h>
#include <string.h>

#include "core/coll/exchange.h"
#include "core/sync/sync.h"

#define LONG_NBYTES 16384u  // of a block that is not copied into the cell

static size_t head_nbytes(const cw_coll_call_t *c)
{
    return (size_t)cw_map_most(c->map) * sizeof(uint64_t);
}

uint64_t cw_collect_exchange_room(const cw_coll_call_t *c)
{
    return cw_exchange_room(c, head_nbytes(c) + CW_CACHE_LINE, false);
}

static size_t cell_nbytes(const cw_coll_call_t *c)
{
    return cw_group_scratch_nbytes(c->group) / (size_t)c->map->nnodes / CW_CACHE_LINE *
           CW_CACHE_LINE;
}

static int members_of(const cw_map_t *map, int node)
{
    return map->begin[node + 1] - map->begin[node];
}

/** Bytes of the blocks in a cell; 0: they have stayed behind, or are empty. */
static size_t filled(const cw_exchange_t *x, const uint64_t *sizes, int node)
{
    size_t room = x->cell_nbytes - head_nbytes(x->c), nbytes = 0;
    for (int i = 0; i < members_of(x->c->map, node); i++) {
        if (sizes[i] > room - nbytes)
            return 0;
        nbytes += sizes[i];
    }
    return nbytes;
}

static bool stayed_behind(const cw_exchange_t *x, const uint64_t *sizes, int node)
{
    bool empty = true;
    for (int i = 0; i < members_of(x->c->map, node); i++)
        empty = empty && sizes[i] == 0;
    return !empty && filled(x, sizes, node) == 0;
}

static uint64_t *sizes_from(const cw_exchange_t *x, int node)
{
    return (uint64_t *)(void *)cw_exchange_from(x, node);
}

static bool straight(const cw_exchange_t *x, const uint64_t *sizes)
{
    const cw_map_t *map = x->c->map;
    return map->nlocal == 1 && filled(x, sizes, map->node) > LONG_NBYTES;
}

static void send_ahead(const cw_exchange_t *x, size_t nbytes)
{
    const cw_map_t *map = x->c->map;
    for (int i = 1; i < map->nnodes; i++)
        cw_exchange_ahead(x, (map->node + i) % map->nnodes, head_nbytes(x->c), x->c->src, nbytes);
}

/** The members wait, so their src may be read. */
static void pack(cw_exchange_t *x)
{
    const cw_coll_call_t *c = x->c;
    const cw_map_t *map = c->map;
    uint64_t *sizes = sizes_from(x, map->node);
    for (int i = 1; i < map->nlocal; i++)
        memcpy(&sizes[i], cw_exchange_own(x, i), sizeof *sizes);
    x->used_nbytes = head_nbytes(c);
    if (straight(x, sizes)) {
        send_ahead(x, sizes[0]);
        return;
    }
    x->used_nbytes += filled(x, sizes, map->node);
    char *at = (char *)sizes + head_nbytes(c);
    for (int i = 0; at < (char *)sizes + x->used_nbytes; at += sizes[i++])
        if (sizes[i])
            memcpy(at, cw_call_at(c, map->local[i], c->src), sizes[i]);
}

/** The blocks' offsets, and the end's; true: all have come. */
static bool learn_places(const cw_exchange_t *x, uint64_t *offset)
{
    const cw_map_t *map = x->c->map;
    bool all = true;
    for (int k = 0; k < map->nnodes; k++) {
        const uint64_t *sizes = sizes_from(x, k);
        for (int i = 0; i < members_of(map, k); i++)
            offset[map->members[map->begin[k] + i] + 1] = sizes[i];
        all = all && !stayed_behind(x, sizes, k);
    }
    offset[0] = 0;
    for (int rank = 0; rank < x->c->group->size; rank++)
        offset[rank + 1] += offset[rank];
    return all;
}

static void unpack(const cw_exchange_t *x, const uint64_t *offset)
{
    const cw_coll_call_t *c = x->c;
    for (int k = 0; k < c->map->nnodes; k++) {
        const char *from = k == c->map->node && straight(x, sizes_from(x, k))
                               ? c->src
                               : cw_exchange_from(x, k) + head_nbytes(c);
        for (int i = c->map->begin[k]; i < c->map->begin[k + 1]; i++) {
            const uint64_t *at = &offset[c->map->members[i]];
            if (at[0] < at[1])
                memcpy(c->dest + at[0], from, at[1] - at[0]);
            from += at[1] - at[0];
        }
    }
}

void cw_collect_exchange(const cw_coll_call_t *c)
{
    uint64_t *offset = cw_collect_places(c);
    cw_exchange_t x = cw_exchange_begin(c, cell_nbytes(c), false);
    x.prepare = pack;
    uint64_t mine = c->own_nbytes;
    memcpy(cw_exchange_own(&x, c->map->mine), &mine, sizeof mine);
    cw_exchange_run(&x);
    if (learn_places(&x, offset)) {
        unpack(&x, offset);
    } else {
        cw_coll_call_t entered = *c;
        entered.entered = true;
        cw_collect_known(&entered, offset);
    }
    free(offset);
}
