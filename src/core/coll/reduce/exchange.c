// SPDX-License-Identifier: BSD-3-Clause
//
// Leaders send the combined operands of their nodes to all others, and combine those of all nodes,
// in the order of nodes, as one synchronisation.
#include "core/coll/exchange.h"

/** Each member's operand lies in its own scratch, where the leader's is: in the node's cell. */
static void combine_node(const cw_exchange_t *x)
{
    const cw_coll_call_t *c = x->c;
    char *acc = cw_exchange_from(x, c->map->node);
    for (int i = 1; i < c->map->nlocal; i++)
        c->fn(acc, cw_exchange_own(x, i), c->nelems);
}

static void combine_all(const cw_exchange_t *x)
{
    const cw_coll_call_t *c = x->c;
    char *acc = cw_exchange_from(x, 0);
    for (int k = 1; k < c->map->nnodes; k++)
        c->fn(acc, cw_exchange_from(x, k), c->nelems);
}

void cw_reduce_exchange(const cw_coll_call_t *c)
{
    cw_exchange_t x = cw_exchange_begin(c, c->nbytes, false);
    x.prepare = combine_node;
    x.conclude = combine_all;
    memcpy(cw_exchange_own(&x, c->map->mine), c->src, c->nbytes);
    cw_exchange_run(&x);
    memcpy(c->dest, cw_exchange_from(&x, 0), c->nbytes);
}
