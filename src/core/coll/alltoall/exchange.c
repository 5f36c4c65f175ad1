// SPDX-License-Identifier: BSD-3-Clause
//
// Leaders exchange their nodes' blocks, as one synchronisation. In a cell, block (j, i) goes from
// the sender's j-th member to the receiver's i-th. Where each node has one member and elements have
// no gaps, blocks go from src to dest.
#include "core/coll/alltoall/alltoall.h"
#include "core/coll/exchange.h"
#include "core/sync/sync.h"

/** Is each leader alone on its node, and are blocks without gaps? */
static bool straight(const cw_coll_call_t *c)
{
    ptrdiff_t dense = (ptrdiff_t)c->elem_nbytes;
    return c->map->nnodes == c->map->size && c->src_stride == dense && c->dest_stride == dense;
}

uint64_t cw_alltoall_exchange_room(const cw_coll_call_t *c)
{
    uint64_t most = (uint64_t)cw_map_most(c->map);
    if (straight(c) && c->map->nnodes == 2)  // with more, long puts would follow each other
        return cw_exchange_room(c, 0, true);
    return most > CW_WORLD_HALF / most ? UINT64_MAX
                                       : cw_exchange_room(c, most * most * c->nbytes, true);
}

static const char *block_to(const cw_exchange_t *x, int k)
{
    const cw_map_t *map = x->c->map;
    return x->c->src + (size_t)map->members[map->begin[k]] * x->c->nbytes;
}

static char *block_from_me(const cw_exchange_t *x)
{
    return x->c->dest + (size_t)x->c->group->rank * x->c->nbytes;
}

static void copy_own_block(const cw_exchange_t *x)
{
    cw_alltoall_load_local(x->c);
}

static void go_straight(const cw_coll_call_t *c)
{
    cw_exchange_t x = cw_exchange_begin(c, c->nbytes, true);
    x.source = block_to;
    x.target = block_from_me;
    cw_exchange_straight(&x, copy_own_block);
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
    if (straight(c)) {
        go_straight(c);
        return;
    }
    const cw_map_t *map = c->map;
    size_t most = (size_t)cw_map_most(map);
    cw_exchange_t x = cw_exchange_begin(c, most * most * c->nbytes, true);
    pack(&x, most);
    cw_exchange_run(&x);
    for (int k = 0; k < map->nnodes; k++) {
        const char *column = cw_exchange_from(&x, k) + (size_t)map->mine * c->nbytes;
        for (int j = map->begin[k]; j < map->begin[k + 1]; j++, column += most * c->nbytes)
            cw_alltoall_unpack(c, map->members[j], column);
    }
}
