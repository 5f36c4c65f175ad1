// SPDX-License-Identifier: BSD-3-Clause
//
// Two nodes, each combining one part of the operand: leaders put the other's part to it, and the
// results of their own, in pieces, and wait for notes only.
//
// The other's part lands in a second member's dest, unused before the end; in a lone member's own
// dest while its operand is read from src, so these differ. A piece of a result overwrites operand
// that has arrived where it comes from.
//
// Notes, 1 .. 2 npieces: operands, then results. Both nodes have as many pieces of both.
#include "core/coll/parts.h"
#include "core/coll/reduce/reduce.h"
#include "core/sync/notes.h"
#include "core/sync/peer.h"

#define PIECE_NBYTES (512u * 1024u)

static int members_of(const cw_map_t *map, int node)
{
    return map->begin[node + 1] - map->begin[node];
}

bool cw_reduce_can_swap(const cw_coll_call_t *c)
{
    const cw_map_t *map = c->map;
    return map->nnodes == 2 &&
           (c->dest != c->src || (members_of(map, 0) > 1 && members_of(map, 1) > 1));
}

typedef struct swap {
    const cw_coll_call_t *c;
    const char *operand;       // of this node
    const char *landed;        // put by the other node, mapped here
    int other, other_landing;  // PEs: the other leader, and in whose dest puts land there
    size_t first[2], last[2];  // the nodes' parts, in elements
    size_t piece;              // elements
    long npieces;
} swap_t;

/** Piece i of a part; perhaps nothing. */
static size_t piece_of(const swap_t *p, int node, long i, size_t *nbytes_p)
{
    size_t at = p->first[node] + (size_t)i * p->piece, last = p->last[node];
    size_t n = at >= last ? 0 : last - at < p->piece ? last - at : p->piece;
    *nbytes_p = n * p->c->elem_nbytes;
    return at * p->c->elem_nbytes;
}

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

static swap_t plan(const cw_coll_call_t *c)
{
    const cw_map_t *map = c->map;
    int me = map->node, other = 1 - me;
    bool alone = map->nlocal == 1;
    swap_t p = {.c = c,
                .operand = alone ? c->src : c->dest,
                .landed = alone ? c->dest : cw_call_at(c, map->local[1], c->dest),
                .other = cw_call_leader(c, other),
                .piece = cw_reduce_strip(c, PIECE_NBYTES)};
    p.other_landing = cw_call_pe(c, map->members[map->begin[other] + (members_of(map, other) > 1)]);
    for (int k = 0; k < 2; k++)
        cw_part_of(c->nelems, c->elem_nbytes, k, 2, &p.first[k], &p.last[k]);
    size_t most = larger(p.last[0] - p.first[0], p.last[1] - p.first[1]);
    p.npieces = (long)((most + p.piece - 1) / p.piece);
    return p;
}

/** dest = the lower node's op the upper node's. */
static void combine(const swap_t *p, size_t at, size_t nbytes)
{
    const cw_coll_call_t *c = p->c;
    const char *lower = c->map->node == 0 ? p->operand : p->landed,
               *upper = c->map->node == 0 ? p->landed : p->operand;
    cw_reduce_two(c, c->dest + at, lower + at, upper + at, nbytes);
}

static void reduce_leaders(const swap_t *p, const cw_notes_t *notes)
{
    const cw_coll_call_t *c = p->c;
    int me = c->map->node;
    size_t nbytes;
    for (long i = 0; i < p->npieces; i++) {
        size_t at = piece_of(p, 1 - me, i, &nbytes);
        if (nbytes > 0)
            cw_coll_put_noted(p->other_landing, c->dest + at, p->operand + at, nbytes);
        cw_notes_count(notes, p->other, i + 1);
    }
    for (long i = 0; i < p->npieces; i++) {
        cw_notes_await_count(notes, i + 1);
        size_t at = piece_of(p, me, i, &nbytes);
        if (nbytes > 0) {
            combine(p, at, nbytes);
            cw_coll_put_noted(p->other, c->dest + at, c->dest + at, nbytes);
        }
        cw_notes_count(notes, p->other, p->npieces + i + 1);
    }
    cw_notes_await_count(notes, 2 * p->npieces);
}

void cw_reduce_swap(const cw_coll_call_t *c)
{
    if (members_of(c->map, 0) == 1 && members_of(c->map, 1) == 1)
        cw_sync(c->group);
    else
        cw_reduce_to_leaders(c);
    cw_notes_t notes = cw_notes_begin(c->group);
    swap_t p = plan(c);
    if (cw_map_i_lead(c->map))
        reduce_leaders(&p, &notes);
    cw_notes_end(&notes, 2 * p.npieces);
    cw_reduce_from_leaders(c);
}
