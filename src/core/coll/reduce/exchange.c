// SPDX-License-Identifier: BSD-3-Clause
//
// Leaders exchange their nodes' combined operands, as one synchronisation, and combine them in node
// order.
#include "core/coll/exchange.h"

/** Each member's operand lies in its scratch where the leader's does: in the node's cell. */
static void combine_node(cw_exchange_t *x)
{
    const cw_coll_call_t *c = x->c;
    char *acc = cw_exchange_from(x, c->map->node);
    for (int i = 1; i < c->map->nlocal; i++)
        c->fn(acc, cw_exchange_own(x, i), c->nelems);
}

static void combine_all(cw_exchange_t *x)
{
    const cw_coll_call_t *c = x->c;
    char *acc = cw_exchange_from(x, 0);
    for (int k = 1; k < c->map->nnodes; k++)
        c->fn(acc, cw_exchange_from(x, k), c->nelems);
}

static const char *operand_of(const cw_exchange_t *x, int k)
{
    return k == x->c->map->node ? x->c->src : cw_exchange_from(x, k);
}

static const char *own_operand(const cw_exchange_t *x, int k)
{
    (void)k;
    return x->c->src;
}

/** The only member of its node sends and combines src, in place if that is dest. */
static void alone(cw_exchange_t *x)
{
    const cw_coll_call_t *c = x->c;
    x->source = own_operand;
    cw_exchange_run(x);
    // dest is written last where a later operand is read from it
    char *acc = c->dest == c->src && c->map->node > 0 ? cw_exchange_from(x, 0) : c->dest;
    if (acc != operand_of(x, 0))
        memcpy(acc, operand_of(x, 0), c->nbytes);
    for (int k = 1; k < c->map->nnodes; k++)
        c->fn(acc, operand_of(x, k), c->nelems);
    if (acc != c->dest)
        memcpy(c->dest, acc, c->nbytes);
}

void cw_reduce_exchange(const cw_coll_call_t *c)
{
    cw_exchange_t x = cw_exchange_begin(c, c->nbytes, false);
    if (c->map->nlocal == 1) {
        alone(&x);
        return;
    }
    x.prepare = combine_node;
    x.conclude = combine_all;
    memcpy(cw_exchange_own(&x, c->map->mine), c->src, c->nbytes);
    cw_exchange_run(&x);
    memcpy(c->dest, cw_exchange_from(&x, 0), c->nbytes);
}
