// SPDX-License-Identifier: BSD-3-Clause
//
// Leaders exchange their nodes' blocks, as one synchronisation. Where each node has one member,
// blocks go from src to dest.
#include "core/coll/exchange.h"

static bool straight(const cw_coll_call_t *c)
{
    return c->map->nnodes == c->map->size;
}

uint64_t cw_fcollect_exchange_room(const cw_coll_call_t *c)
{
    return cw_exchange_room(c, straight(c) ? 0 : (uint64_t)cw_map_most(c->map) * c->nbytes, false);
}

static const char *own_block(const cw_exchange_t *x, int k)
{
    (void)k;
    return x->c->src;
}

static char *own_place(const cw_exchange_t *x)
{
    return x->c->dest + (size_t)x->c->group->rank * x->c->nbytes;
}

static void copy_own_block(const cw_exchange_t *x)
{
    memcpy(own_place(x), x->c->src, x->c->nbytes);
}

static void go_straight(const cw_coll_call_t *c)
{
    cw_exchange_t x = cw_exchange_begin(c, c->nbytes, false);
    x.source = own_block;
    x.target = own_place;
    cw_exchange_straight(&x, copy_own_block);
}

void cw_fcollect_exchange(const cw_coll_call_t *c)
{
    const cw_map_t *map = c->map;
    if (straight(c)) {
        go_straight(c);
        return;
    }
    bool alone = map->nlocal == 1;
    cw_exchange_t x = cw_exchange_begin(c, (size_t)cw_map_most(map) * c->nbytes, false);
    x.used_nbytes = (size_t)map->nlocal * c->nbytes;
    if (alone)
        x.source = own_block;
    else
        memcpy(cw_exchange_from(&x, map->node) + (size_t)map->mine * c->nbytes, c->src, c->nbytes);
    cw_exchange_run(&x);
    for (int k = 0; k < map->nnodes; k++) {
        const char *from = alone && k == map->node ? c->src : cw_exchange_from(&x, k);
        for (int i = map->begin[k]; i < map->begin[k + 1]; i++, from += c->nbytes)
            memcpy(c->dest + (size_t)map->members[i] * c->nbytes, from, c->nbytes);
    }
}
