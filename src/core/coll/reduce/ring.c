// SPDX-License-Identifier: BSD-3-Clause
//
// Leaders in a ring, one part for each. Part p starts at leader p; each next leader pulls it from
// the one before and combines its own operand, until it is complete at leader p - 1. Then the
// complete parts are pushed around.
//
// Notes to the next leader: 1 .. n-2, "what you pull in step s is ready"; n-1 .. 2n-3, "a complete
// part has come". A complete part follows all its pulls, so it overwrites no partial result still
// to be pulled.
//
// Patarasuk, Yuan: Bandwidth optimal all-reduce algorithms for clusters of workstations, 2009.
#include <stdlib.h>

#include "core/coll/parts.h"
#include "core/coll/reduce/reduce.h"
#include "core/sync/notes.h"

typedef struct ring {
    const cw_coll_call_t *c;
    const cw_notes_t *notes;
    int n, k;
    int before, next;  // PEs
} ring_t;

static void part_of(const ring_t *ring, int part, size_t *first_p, size_t *last_p)
{
    cw_part_of(ring->c->nelems, ring->c->elem_nbytes, (part + 2 * ring->n) % ring->n, ring->n,
               first_p, last_p);
}

static void combine(const ring_t *ring)
{
    size_t first, last;
    char *buffer = cw_reduce_pull_buffer(ring->c);
    for (int s = 0; s < ring->n - 1; s++) {
        if (s > 0)
            cw_notes_await_count(ring->notes, s);
        part_of(ring, ring->k - 1 - s, &first, &last);
        cw_reduce_pull(ring->c, ring->before, first, last, buffer);
        if (s < ring->n - 2)
            cw_notes_count(ring->notes, ring->next, s + 1);
    }
    free(buffer);
}

static void spread(const ring_t *ring)
{
    size_t first, last;
    for (int s = 0; s < ring->n - 1; s++) {
        if (s > 0)
            cw_notes_await_count(ring->notes, ring->n - 2 + s);
        part_of(ring, ring->k + 1 - s, &first, &last);
        cw_reduce_push(ring->c, ring->next, first, last);
        cw_notes_count(ring->notes, ring->next, ring->n - 1 + s);
    }
    cw_notes_await_count(ring->notes, 2 * ring->n - 3);
}

void cw_reduce_ring(const cw_coll_call_t *c)
{
    int n = c->map->nnodes, k = c->map->node;
    cw_reduce_to_leaders(c);
    cw_notes_t notes = cw_notes_begin(c->group);
    if (cw_map_i_lead(c->map)) {
        ring_t ring = {
            c, &notes, n, k, cw_call_leader(c, (k + n - 1) % n), cw_call_leader(c, (k + 1) % n)};
        combine(&ring);
        spread(&ring);
    }
    cw_notes_end(&notes, 2 * n - 3);
    cw_reduce_from_leaders(c);
}
