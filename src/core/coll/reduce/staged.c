// SPDX-License-Identifier: BSD-3-Clause
//
// On one node, of operands that no other PE reaches. Each member copies what others combine into
// its scratch, combines its part of all, stores the result to all, and copies the rest back. dest
// is src.
//
// Between the two synchronisations member i alone reads and writes part i of each scratch
// (docs/design/collectives.md).
#include "core/coll/parts.h"
#include "core/coll/reduce/reduce.h"
#include "core/sync/sync.h"

#define STRIP_NBYTES 16384u  // of each operand, combined in the cache

/** This member combines bytes [*at_p, *end_p). */
static void own_part(const cw_coll_call_t *c, size_t *at_p, size_t *end_p)
{
    size_t first, last;
    cw_part_of(c->nelems, c->elem_nbytes, c->map->mine, c->map->nlocal, &first, &last);
    *at_p = first * c->elem_nbytes;
    *end_p = last * c->elem_nbytes;
}

/** Where member i has what this one combines of its operand. */
static char *place_of(const cw_coll_call_t *c, int i, char *scratch)
{
    return i == c->map->mine ? c->dest : cw_call_at(c, c->map->local[i], scratch);
}

/** In rank order, in the first member's place. */
static void combine(const cw_coll_call_t *c, char *scratch, size_t at, size_t end)
{
    const size_t strip = STRIP_NBYTES / c->elem_nbytes * c->elem_nbytes;
    for (size_t n; at < end; at += n) {
        n = strip == 0 || end - at < strip ? end - at : strip;
        char *acc = place_of(c, 0, scratch) + at;
        for (int i = 1; i < c->map->nlocal; i++)
            c->fn(acc, place_of(c, i, scratch) + at, n / c->elem_nbytes);
        for (int i = 1; i < c->map->nlocal; i++)
            memcpy(place_of(c, i, scratch) + at, acc, n);
    }
}

static void copy_others(char *to, const char *from, size_t at, size_t end, size_t nbytes)
{
    memcpy(to, from, at);
    memcpy(to + end, from + end, nbytes - end);
}

void cw_reduce_staged(const cw_coll_call_t *c)
{
    size_t at, end;
    char *scratch = cw_group_scratch(c->group);
    own_part(c, &at, &end);
    copy_others(scratch, c->dest, at, end, c->nbytes);
    cw_sync(c->group);
    combine(c, scratch, at, end);
    cw_sync(c->group);
    copy_others(c->dest, scratch, at, end, c->nbytes);
}
