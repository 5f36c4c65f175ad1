// SPDX-License-Identifier: BSD-3-Clause
//
// Where the members of each node are neighbours in rank: prefixes within nodes; leaders compute the
// sum of the nodes before by doubling: in step j each sends the sum of its last 2^j nodes to the
// leader 2^j ahead. The leader's scratch limits the strips:
//
//     [sum of the node, then of the nodes before it] [arrival of step 0] [of step 1] ...
//
// Hillis, Steele: Data parallel algorithms, 1986.
#include <stdlib.h>

#include "base/compiler.h"
#include "core/coll/parts.h"
#include "core/coll/scan/scan.h"
#include "core/rma/rma.h"
#include "core/sync/fused.h"
#include "core/sync/notes.h"
#include "core/sync/peer.h"
#include "core/sync/sync.h"

typedef struct strip {
    size_t at, nelems, nbytes;
    char *scratch;  // symmetric address
    size_t pitch;   // between its areas
    char *sums;     // of a leader, two of pitch bytes: the last 2^j nodes; the nodes before
} strip_t;

static size_t areas(const cw_coll_call_t *c)
{
    return 1 + (size_t)cw_coll_log2_ceil(c->map->nnodes);
}

uint64_t cw_scan_leaders_room(const cw_coll_call_t *c)
{
    return areas(c) * CW_PART_ALIGN;
}

/** Prefixes of this PE's part over the node; their sum goes to the leader. Not inlined: the strip
 *  is off the stack while anything waits. */
static CW_NOINLINE void scan_node(const cw_coll_call_t *c, const strip_t *s)
{
    const cw_map_t *map = c->map;
    CW_CACHE_ALIGNED char acc[CW_SCAN_STRIP_NBYTES];
    size_t first, last;
    cw_part_of(s->nelems, c->elem_nbytes, map->mine, map->nlocal, &first, &last);
    if (first == last)
        return;
    size_t offset = (s->at + first) * c->elem_nbytes;
    for (int i = 0; i < map->nlocal; i++)
        cw_scan_step(c, i == 0, acc, (char *)cw_call_at(c, map->local[i], c->src) + offset,
                     (char *)cw_call_at(c, map->local[i], c->dest) + offset, last - first);
    memcpy((char *)cw_call_at(c, map->local[0], s->scratch) + first * c->elem_nbytes, acc,
           (last - first) * c->elem_nbytes);
}

/** Leaders: from the node's sum to that of the nodes before. */
static void scan_leaders(const cw_coll_call_t *c, const strip_t *s, const cw_notes_t *notes)
{
    char *recent = s->sums, *before = recent + s->pitch;
    int n = c->map->nnodes, k = c->map->node;
    bool any = false;
    memcpy(recent, s->scratch, s->nbytes);
    for (int j = 0; 1 << j < n; j++) {
        char *arrival = s->scratch + (size_t)(1 + j) * s->pitch;
        if (k + (1 << j) < n) {
            int pe = cw_call_leader(c, k + (1 << j));
            cw_coll_put(pe, arrival, recent, s->nbytes, false);
            cw_notes_step(notes, pe, j);
        }
        if (k < 1 << j)
            continue;
        cw_notes_await_step(notes, j);
        if (any)
            c->fn(before, arrival, s->nelems);
        else
            memcpy(before, arrival, s->nbytes);
        any = true;
        c->fn(recent, arrival, s->nelems);
    }
    cw_quiet(&cw_ctx_default);
    if (any)
        memcpy(s->scratch, before, s->nbytes);
}

static void scan_strip(const cw_coll_call_t *c, strip_t *s)
{
    s->scratch = cw_group_scratch(c->group);
    scan_node(c, s);
    cw_sync(c->group);
    cw_notes_t notes = cw_notes_begin(c->group);
    if (cw_map_i_lead(c->map))
        scan_leaders(c, s, &notes);
    cw_notes_end(&notes, 1);
    cw_sync(c->group);
    if (c->map->node > 0)
        c->fn(c->dest + s->at * c->elem_nbytes, cw_call_at(c, c->map->local[0], s->scratch),
              s->nelems);
}

void cw_scan_leaders(const cw_coll_call_t *c)
{
    size_t pitch = CW_SCRATCH_HALF / areas(c) / CW_PART_ALIGN * CW_PART_ALIGN;
    pitch = pitch < CW_SCAN_STRIP_NBYTES ? pitch : CW_SCAN_STRIP_NBYTES;
    size_t most = pitch / c->elem_nbytes;
    char *sums = cw_map_i_lead(c->map) ? aligned_alloc(64, 2 * pitch) : NULL;
    if (cw_map_i_lead(c->map) && !sums)
        cwu_fatal("out of memory for a scan over %d PEs", c->group->size);
    cw_sync(c->group);
    for (size_t at = 0; at < c->nelems; at += most) {
        size_t n = c->nelems - at < most ? c->nelems - at : most;
        scan_strip(
            c,
            &(strip_t){
                .at = at, .nelems = n, .nbytes = n * c->elem_nbytes, .pitch = pitch, .sums = sums});
    }
    free(sums);
}
