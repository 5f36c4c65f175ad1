// SPDX-License-Identifier: BSD-3-Clause
//
// Leaders send each other leader the blocks from their node to that one, as one synchronisation. In
// a cell, block (j, i) goes from the sender's j-th member to the receiver's i-th.
#include "core/coll/alltoall/alltoall.h"
#include "core/coll/exchange.h"
#include "core/sync/sync.h"

uint64_t cw_alltoall_exchange_room(const cw_coll_call_t *c)
{
    uint64_t most = (uint64_t)cw_map_most(c->map);
    return most > CW_WORLD_HALF / most ? UINT64_MAX
                                       : cw_exchange_room(c, most * most * c->nbytes, true);
}

void cw_alltoall_exchange(const cw_coll_call_t *c)
{
    const cw_map_t *map = c->map;
    size_t most = (size_t)cw_map_most(map);
    cw_exchange_t x = cw_exchange_begin(c, most * most * c->nbytes, true);
    for (int k = 0; k < map->nnodes; k++) {
        char *row = cw_exchange_to(&x, k) + (size_t)map->mine * most * c->nbytes;
        for (int i = map->begin[k]; i < map->begin[k + 1]; i++, row += c->nbytes)
            cw_alltoall_pack(c, map->members[i], row);
    }
    cw_exchange_run(&x);
    for (int k = 0; k < map->nnodes; k++) {
        const char *column = cw_exchange_from(&x, k) + (size_t)map->mine * c->nbytes;
        for (int j = map->begin[k]; j < map->begin[k + 1]; j++, column += most * c->nbytes)
            cw_alltoall_unpack(c, map->members[j], column);
    }
}
