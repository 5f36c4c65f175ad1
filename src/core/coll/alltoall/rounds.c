// SPDX-License-Identifier: BSD-3-Clause
//
// For nodes of several members: leaders exchange whole nodes' blocks, in as many rounds as their
// scratch needs (docs/design/collectives.md). They load from their members' src and store into
// dest.
//
// A cell goes from one node to another: block (j, i), from the sender's j-th member to the
// receiver's i-th, at i * (members of the sender) + j. Cells are cut into pieces of a slot: piece p
// for the node d ahead is parcel (d - 1) * pieces + p. A round moves a parcel into each slot of the
// receiver:
//
//     [slot 0] .. [slot n-1] [the parcel that is being packed]
//
// A barrier of the leaders begins each round, and one ends the last: every slot is empty then, and
// its word, raised by one leader at a time, has been seen.
#include "core/coll/alltoall/alltoall.h"
#include "core/coll/exchange.h"
#include "core/sync/fused.h"
#include "core/sync/sync.h"

typedef struct rounds {
    const cw_coll_call_t *c;
    char *slots;  // symmetric
    size_t slot_nbytes;
    int slot_blocks;
    int nslots, pieces, nparcels;
} rounds_t;

typedef struct parcel {
    int node;         // the other one
    int first, last;  // blocks of the cell
} parcel_t;

uint64_t cw_alltoall_rounds_room(const cw_coll_call_t *c)
{
    // one slot and the packed parcel, of one block at least; a lone member sends its blocks itself
    return cw_map_most(c->map) > 1
               ? 2 * ((c->nbytes + CW_CACHE_LINE - 1) & ~(uint64_t)(CW_CACHE_LINE - 1))
               : UINT64_MAX;
}

static rounds_t cut(const cw_coll_call_t *c)
{
    size_t most = (size_t)cw_map_most(c->map), half = cw_group_scratch_nbytes(c->group),
           nblocks = most * most, fit = half / 2 / CW_CACHE_LINE * CW_CACHE_LINE / c->nbytes;
    rounds_t x = {.c = c, .slots = cw_group_scratch(c->group)};
    x.slot_blocks = (int)(fit < nblocks ? fit : nblocks);
    x.slot_nbytes =
        ((size_t)x.slot_blocks * c->nbytes + CW_CACHE_LINE - 1) / CW_CACHE_LINE * CW_CACHE_LINE;
    x.pieces = (int)((nblocks + (size_t)x.slot_blocks - 1) / (size_t)x.slot_blocks);
    x.nparcels = x.pieces * (c->map->nnodes - 1);
    size_t nslots = half / x.slot_nbytes - 1;
    x.nslots = nslots < CW_EXCHANGE_NODES ? (int)nslots : CW_EXCHANGE_NODES;
    return x;
}

static int members_of(const cw_map_t *map, int node)
{
    return map->begin[node + 1] - map->begin[node];
}

/** The parcel sent that many nodes ahead, or received from as many behind. */
static parcel_t parcel_of(const rounds_t *x, int number, bool sent)
{
    const cw_map_t *map = x->c->map;
    int ahead = 1 + number / x->pieces;
    parcel_t p = {.node = (map->node + (sent ? ahead : map->nnodes - ahead)) % map->nnodes};
    int nblocks = map->nlocal * members_of(map, p.node);
    p.first = number % x->pieces * x->slot_blocks;
    p.last = p.first + x->slot_blocks < nblocks ? p.first + x->slot_blocks : nblocks;
    return p;
}

/** The call as the i-th member of this node makes it. */
static cw_coll_call_t call_of(const rounds_t *x, int i)
{
    cw_coll_call_t c = *x->c;
    c.src = cw_call_at(x->c, c.map->local[i], c.src);
    c.dest = cw_call_at(x->c, c.map->local[i], c.dest);
    return c;
}

static void pack(const rounds_t *x, const parcel_t *p, char *to)
{
    const cw_map_t *map = x->c->map;
    const int *ranks = map->members + map->begin[p->node];
    for (int j = 0; j < map->nlocal; j++) {
        cw_coll_call_t c = call_of(x, j);
        // member j's first block of the parcel
        int b = p->first + (j - p->first % map->nlocal + map->nlocal) % map->nlocal;
        for (; b < p->last; b += map->nlocal)
            cw_alltoall_pack(&c, ranks[b / map->nlocal], to + (size_t)(b - p->first) * c.nbytes);
    }
}

static void unpack(const rounds_t *x, const parcel_t *p, const char *from)
{
    const cw_map_t *map = x->c->map;
    const int *ranks = map->members + map->begin[p->node], nsenders = members_of(map, p->node);
    for (int b = p->first; b < p->last;) {
        cw_coll_call_t c = call_of(x, b / nsenders);
        for (int last = (b / nsenders + 1) * nsenders; b < last && b < p->last; b++)
            cw_alltoall_unpack(&c, ranks[b % nsenders], from + (size_t)(b - p->first) * c.nbytes);
    }
}

static long *came(const rounds_t *x, int slot)
{
    return cw_group_words(x->c->group) + CW_EXCHANGE_CAME + slot;
}

static char *slot_at(const rounds_t *x, int slot)
{
    return x->slots + (size_t)slot * x->slot_nbytes;
}

static void send(const rounds_t *x, int number, int slot, long round)
{
    parcel_t p = parcel_of(x, number, true);
    char *packed = slot_at(x, x->nslots);
    if (p.first >= p.last)
        return;  // a node of fewer members than the largest
    pack(x, &p, packed);
    cw_coll_put_marked(cw_call_leader(x->c, p.node), slot_at(x, slot), packed,
                       (size_t)(p.last - p.first) * x->c->nbytes, came(x, slot), round);
}

static void receive(const rounds_t *x, int number, int slot, long round)
{
    parcel_t p = parcel_of(x, number, false);
    if (p.first >= p.last)
        return;
    cw_coll_await_at_least(came(x, slot), round);
    unpack(x, &p, slot_at(x, slot));
}

/** The leader, once its node has arrived. */
static void exchange_leaders(void *arg)
{
    const rounds_t *x = arg;
    cw_leaders_t *leaders = &x->c->group->sync->leaders;
    long round = *cw_group_reached(x->c->group);
    for (int first = 0; first < x->nparcels; first += x->nslots) {
        int n = x->nparcels - first < x->nslots ? x->nparcels - first : x->nslots;
        round++;
        cw_leaders_fused(leaders, NULL, 0, NULL);
        for (int i = 0; i < n; i++)
            send(x, first + i, i, round);
        for (int i = 0; i < n; i++)
            receive(x, first + i, i, round);
    }
    cw_leaders_fused(leaders, NULL, 0, NULL);
}

void cw_alltoall_rounds(const cw_coll_call_t *c)
{
    rounds_t x = cut(c);
    cw_alltoall_store_local(c);
    cw_fused_led(c->group, exchange_leaders, &x);
    *cw_group_reached(c->group) += (x.nparcels + x.nslots - 1) / x.nslots;
}
