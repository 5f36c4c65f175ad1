// SPDX-License-Identifier: BSD-3-Clause
//
// Leaders send each other leader the blocks from their node to that one, as one synchronisation. In
// a cell, block (j, i) goes from the sender's j-th member to the receiver's i-th. Where each node
// has one member and elements have no gaps, blocks go straight from src.
#include "core/coll/alltoall/alltoall.h"
#include "core/coll/exchange.h"
#include "core/sync/sync.h"

uint64_t cw_alltoall_exchange_room(const cw_coll_call_t *c)
{
    uint64_t most = (uint64_t)cw_map_most(c->map);
    return most > CW_WORLD_HALF / most ? UINT64_MAX
                                       : cw_exchange_room(c, most * most * c->nbytes, true);
}

static const char *block_to(const cw_exchange_t *x, int k)
{
    const cw_map_t *map = x->c->map;
    return x->c->src + (size_t)map->members[map->begin[k]] * x->c->nbytes;
}

static bool straight(const cw_coll_call_t *c, size_t most)
{
    return most == 1 && c->src_stride == (ptrdiff_t)c->elem_nbytes;
}

static void pack(const cw_exchange_t *x, size_t most)
{
    const cw_coll_call_t *c = x->c;
    const cw_map_t *map = c->map;
    for (int k = 0; k < map->nnodes; k++) {
        char *row = cw_exchange_to(x, k) + (size_t)map->mine * most * c->nbytes;
        for (int i = map->begin[k]; i < map->begin[k + 1]; i++, row += c->nbytes)
            cw_alltoall_pack(c, map->members[i], row);
    }
}

void cw_alltoall_exchange(const cw_coll_call_t *c)
{
    const cw_map_t *map = c->map;
    size_t most = (size_t)cw_map_most(map);
    cw_exchange_t x = cw_exchange_begin(c, most * most * c->nbytes, true);
    if (straight(c, most))
        x.source = block_to;
    else
        pack(&x, most);
    cw_exchange_run(&x);
    for (int k = 0; k < map->nnodes; k++) {
        const char *column = x.source && k == map->node ? block_to(&x, k) : cw_exchange_from(&x, k);
        column += (size_t)map->mine * c->nbytes;
        for (int j = map->begin[k]; j < map->begin[k + 1]; j++, column += most * c->nbytes)
            cw_alltoall_unpack(c, map->members[j], column);
    }
}
