// SPDX-License-Identifier: BSD-3-Clause
//
// Recursive halving, then doubling. In step j a leader and its partner divide what both hold; each
// pulls the half that it keeps, and combines. Then the steps go backwards: each leader pushes what
// it holds. Leaders beyond the largest power of two have their operand pulled before, and get the
// result after.
//
// A leader pushes only into what its partner has let it pull, so nothing unread is overwritten.
//
// Rabenseifner: Optimization of collective reduction operations, 2004.
#include <stdlib.h>

#include "core/coll/parts.h"
#include "core/coll/reduce/reduce.h"
#include "core/sync/notes.h"

enum { MOST_STEPS = (CW_NOTE_STEPS - 1) / 2, DOUBLING = MOST_STEPS, LAST = 2 * MOST_STEPS };

typedef struct halving {
    const cw_coll_call_t *c;
    const cw_notes_t *notes;
    int k, steps, power;
    char *buffer;
} halving_t;

/** Elements of the parts [from, from + n) of `power`. */
static void elements_of(const halving_t *h, int from, int n, size_t *first_p, size_t *last_p)
{
    size_t unused;
    cw_part_of(h->c->nelems, h->c->elem_nbytes, from, h->power, first_p, &unused);
    cw_part_of(h->c->nelems, h->c->elem_nbytes, from + n - 1, h->power, &unused, last_p);
}

static int partner_pe(const halving_t *h, int step)
{
    return cw_call_leader(h->c, h->k ^ (h->power >> (step + 1)));
}

/** The first of the power >> steps parts that leader k then holds. */
static int held_from(const halving_t *h, int steps)
{
    return h->k & ~((h->power >> steps) - 1);
}

static void halve(const halving_t *h)
{
    size_t first, last;
    for (int j = 0; j < h->steps; j++) {
        // this leader's operand is ready to be pulled
        cw_notes_step(h->notes, partner_pe(h, j), j);
        cw_notes_await_step(h->notes, j);
        elements_of(h, held_from(h, j + 1), h->power >> (j + 1), &first, &last);
        cw_reduce_pull(h->c, partner_pe(h, j), first, last, h->buffer);
    }
}

static void grow(const halving_t *h)
{
    size_t first, last;
    for (int j = h->steps - 1; j >= 0; j--) {
        elements_of(h, held_from(h, j + 1), h->power >> (j + 1), &first, &last);
        cw_reduce_push(h->c, partner_pe(h, j), first, last);
        cw_notes_step(h->notes, partner_pe(h, j), DOUBLING + j);
        cw_notes_await_step(h->notes, DOUBLING + j);
    }
}

static void reduce_leaders(const cw_coll_call_t *c, const cw_notes_t *notes)
{
    halving_t h = {.c = c, .notes = notes, .k = c->map->node, .buffer = cw_reduce_pull_buffer(c)};
    h.steps = 31 - __builtin_clz((unsigned)c->map->nnodes);
    h.power = 1 << h.steps;
    if (h.k >= h.power) {
        cw_notes_await_step(notes, LAST);
        free(h.buffer);
        return;
    }
    int beyond = h.k + h.power < c->map->nnodes ? cw_call_leader(c, h.k + h.power) : -1;
    if (beyond >= 0)
        cw_reduce_pull(c, beyond, 0, c->nelems, h.buffer);
    halve(&h);
    grow(&h);
    if (beyond >= 0) {
        cw_reduce_push(c, beyond, 0, c->nelems);
        cw_notes_step(notes, beyond, LAST);
    }
    free(h.buffer);
}

void cw_reduce_halving(const cw_coll_call_t *c)
{
    if (c->map->nnodes >= 2 << MOST_STEPS)
        cwu_fatal("reduce=halving over %d nodes; at most %d are supported", c->map->nnodes,
                  (2 << MOST_STEPS) - 1);
    cw_reduce_to_leaders(c);
    cw_notes_t notes = cw_notes_begin(c->group);
    if (cw_map_i_lead(c->map))
        reduce_leaders(c, &notes);
    cw_notes_end(&notes, 1);
    cw_reduce_from_leaders(c);
}
