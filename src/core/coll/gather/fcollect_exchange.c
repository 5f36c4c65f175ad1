// SPDX-License-Identifier: BSD-3-Clause
//
// Leaders send the blocks of their nodes to all others, once, as one synchronisation.
#include "core/coll/exchange.h"

static const char *own_block(const cw_exchange_t *x, int k)
{
    (void)k;
    return x->c->src;
}

void cw_fcollect_exchange(const cw_coll_call_t *c)
{
    const cw_map_t *map = c->map;
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
