// SPDX-License-Identifier: BSD-3-Clause
//
// Leaders send the blocks of their nodes to all others, once, as one synchronisation. All know all
// sizes. In a cell the blocks of a node's members lie behind each other.
#include <string.h>

#include "core/coll/exchange.h"

static uint64_t nbytes_of(const cw_coll_call_t *c, int node)
{
    uint64_t nbytes = 0;
    for (int i = c->map->begin[node]; i < c->map->begin[node + 1]; i++)
        nbytes += cw_block_nbytes(c->blocks, c->map->members[i]);
    return nbytes;
}

static uint64_t largest_cell(const cw_coll_call_t *c)
{
    uint64_t most = 0;
    for (int k = 0; k < c->map->nnodes; k++) {
        uint64_t nbytes = nbytes_of(c, k);
        most = nbytes > most ? nbytes : most;
    }
    return most;
}

/** Where members learned the sizes from a half of the scratch, a leader may still read it when the
 *  others send. */
uint64_t cw_collect_exchange_room(const cw_coll_call_t *c)
{
    return c->entered ? cw_exchange_room(c, largest_cell(c), false) : UINT64_MAX;
}

static void store_mine(const cw_exchange_t *x)
{
    const cw_coll_call_t *c = x->c;
    char *at = cw_exchange_from(x, c->map->node);
    for (int i = 0; i < c->map->mine; i++)
        at += cw_block_nbytes(c->blocks, c->map->local[i]);
    size_t nbytes = cw_block_nbytes(c->blocks, c->group->rank);
    if (nbytes)
        memcpy(at, c->src, nbytes);
}

void cw_collect_exchange(const cw_coll_call_t *c)
{
    const cw_map_t *map = c->map;
    cw_exchange_t x = cw_exchange_begin(c, (size_t)largest_cell(c), false);
    store_mine(&x);
    cw_exchange_run(&x);
    for (int k = 0; k < map->nnodes; k++) {
        const char *from = cw_exchange_from(&x, k);
        for (int i = map->begin[k]; i < map->begin[k + 1]; i++) {
            size_t nbytes = cw_block_nbytes(c->blocks, map->members[i]);
            if (nbytes)
                memcpy(c->dest + cw_block_offset(c->blocks, map->members[i]), from, nbytes);
            from += nbytes;
        }
    }
}
