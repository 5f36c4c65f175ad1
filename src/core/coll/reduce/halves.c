// SPDX-License-Identifier: BSD-3-Clause
//
// Two nodes, each combining half of the operand: leaders send the other's half into its scratch,
// combine, and put the result to the other's dest. The exchange of the operands synchronises the
// nodes.
//
// A half of a result overwrites operand that has arrived where it comes from, so dest may be src.
#include "core/coll/exchange.h"
#include "core/coll/parts.h"
#include "core/coll/reduce/reduce.h"
#include "core/sync/sync.h"

enum { RESULT = 1 };  // step

/** Node k's half: *nbytes_p bytes, from the returned offset. */
static size_t half_of(const cw_coll_call_t *c, int k, size_t *nbytes_p)
{
    size_t first, last;
    cw_part_of(c->nelems, c->elem_nbytes, k, 2, &first, &last);
    *nbytes_p = (last - first) * c->elem_nbytes;
    return first * c->elem_nbytes;
}

uint64_t cw_reduce_halves_room(const cw_coll_call_t *c)
{
    size_t nbytes;  // of the larger one
    half_of(c, 0, &nbytes);
    return c->map->nnodes == 2 ? cw_exchange_room(c, nbytes, false) : UINT64_MAX;
}

/** This node's: src of its only member, or what all have combined in the leader's dest. */
static const char *operand_of(const cw_coll_call_t *c)
{
    return c->map->nlocal == 1 ? c->src : c->dest;
}

static const char *other_half(const cw_exchange_t *x, int k)
{
    size_t nbytes;
    return operand_of(x->c) + half_of(x->c, k, &nbytes);
}

static void conclude(cw_exchange_t *x)
{
    const cw_coll_call_t *c = x->c;
    int me = c->map->node, other = 1 - me;
    size_t nbytes, at = half_of(c, me, &nbytes);
    const char *mine = operand_of(c) + at, *theirs = cw_exchange_from(x, other);
    cw_reduce_two(c, c->dest + at, me == 0 ? mine : theirs, me == 0 ? theirs : mine, nbytes);
    cw_exchange_put(x, other, RESULT, c->dest + at, c->dest + at, nbytes);
    cw_exchange_await(x, other, RESULT);
}

void cw_reduce_halves(const cw_coll_call_t *c)
{
    size_t larger, used;
    half_of(c, 0, &larger);
    half_of(c, 1 - c->map->node, &used);
    cw_exchange_t x = cw_exchange_begin(c, larger, false);
    x.used_nbytes = used;
    x.source = other_half;
    x.nsteps = RESULT;
    x.conclude = conclude;
    if (c->map->nlocal > 1)
        cw_reduce_to_leader(c);
    cw_exchange_run(&x);
    if (!cw_map_i_lead(c->map))
        memcpy(c->dest, cw_call_at(c, c->map->local[0], c->dest), c->nbytes);
    cw_sync_on_node(c->group);
}
