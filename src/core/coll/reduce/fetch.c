// SPDX-License-Identifier: BSD-3-Clause
//
// Leader k gets part k of all other leaders' operands, combines it in node order, and puts it to
// all: nodes - 1 messages in each direction at a time. Step i comes from the leader i nodes before,
// when its part is complete here.
#include <stdlib.h>

#include "core/coll/parts.h"
#include "core/coll/reduce/reduce.h"
#include "core/rma/rma.h"
#include "core/sync/notes.h"
#include "core/sync/peer.h"

#define STRIPS_NBYTES (1u << 20)  // of all nodes' strips in flight

static void reduce_strip(const cw_coll_call_t *c, char *operands, size_t strip_nbytes, size_t at,
                         size_t n)
{
    const cw_map_t *map = c->map;
    size_t offset = at * c->elem_nbytes, nbytes = n * c->elem_nbytes;
    for (int k = 0; k < map->nnodes; k++)
        if (k != map->node)
            cw_coll_get_nbi(cw_call_leader(c, k), operands + (size_t)k * strip_nbytes,
                            c->dest + offset, nbytes);
    cw_quiet(&cw_ctx_default);
    memcpy(operands + (size_t)map->node * strip_nbytes, c->dest + offset, nbytes);
    for (int k = 1; k < map->nnodes; k++)
        c->fn(operands, operands + (size_t)k * strip_nbytes, n);
    memcpy(c->dest + offset, operands, nbytes);
    for (int i = 1; i < map->nnodes; i++)
        cw_reduce_push(c, cw_call_leader(c, (map->node + i) % map->nnodes), at, at + n);
}

static void reduce_my_part(const cw_coll_call_t *c)
{
    const cw_map_t *map = c->map;
    size_t first, last, strip_nbytes = STRIPS_NBYTES / (size_t)map->nnodes / 64 * 64;
    strip_nbytes = strip_nbytes < 1024 ? 1024 : strip_nbytes > 65536 ? 65536 : strip_nbytes;
    const size_t strip = cw_reduce_strip(c, strip_nbytes), used = strip * c->elem_nbytes;
    strip_nbytes = used > strip_nbytes ? (used + 63) / 64 * 64 : strip_nbytes;
    cw_part_of(c->nelems, c->elem_nbytes, map->node, map->nnodes, &first, &last);
    if (first == last)
        return;
    char *operands = cw_reduce_buffer(strip_nbytes * (size_t)map->nnodes);
    for (size_t at = first; at < last; at += strip)
        reduce_strip(c, operands, strip_nbytes, at, last - at < strip ? last - at : strip);
    free(operands);
}

static void reduce_leaders(const cw_coll_call_t *c, const cw_notes_t *notes)
{
    int n = c->map->nnodes;
    reduce_my_part(c);
    for (int i = 1; i < n; i++)
        cw_notes_step(notes, cw_call_leader(c, (c->map->node + i) % n), i);
    for (int i = 1; i < n; i++)
        cw_notes_await_step(notes, i);
}

void cw_reduce_fetch(const cw_coll_call_t *c)
{
    if (c->map->nnodes > CW_NOTE_STEPS)
        cwu_fatal("reduce=fetch over %d nodes; at most %d are supported", c->map->nnodes,
                  CW_NOTE_STEPS);
    cw_reduce_to_leaders(c);
    cw_notes_t notes = cw_notes_begin(c->group);
    if (cw_map_i_lead(c->map))
        reduce_leaders(c, &notes);
    cw_notes_end(&notes, 1);
    cw_reduce_from_leaders(c);
}
