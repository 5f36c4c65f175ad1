// SPDX-License-Identifier: BSD-3-Clause
//
// For small blocks: log2(nodes) messages a leader.
//
// The leader's scratch holds a cell for each distance d between nodes: block (j, i) goes from the
// sender's j-th member to the receiver's i-th. At first cell d is for node k + d. In step s each
// leader sends the cells whose distance has bit s to the leader 2^s ahead, which stores them in
// place of those that it has sent. In the end cell d came from node k - d.
//
//     [cells by distance: n] [arrivals of step 0: n/2] [of step 1: n/2] ...
//
// Bruck et al. 1997, as in gather/bruck.c.
#include <stdlib.h>

#include "core/coll/alltoall/alltoall.h"
#include "core/rma/rma.h"
#include "core/sync/fused.h"
#include "core/sync/notes.h"
#include "core/sync/peer.h"
#include "core/sync/sync.h"

typedef struct exchange {
    const cw_coll_call_t *c;
    char *cells;  // symmetric address in the scratch
    size_t cell_nbytes;
    int n, most;  // nodes; members of the largest
} exchange_t;

static uint64_t ncells(int n)
{
    return (uint64_t)n + (uint64_t)cw_coll_log2_ceil(n) * (uint64_t)((n + 1) / 2);
}

uint64_t cw_alltoall_bruck_room(const cw_coll_call_t *c)
{
    uint64_t most = (uint64_t)cw_map_most(c->map), blocks = most * most * ncells(c->map->nnodes);
    return blocks > CW_SCRATCH_HALF ? UINT64_MAX : blocks * c->nbytes;
}

static char *block_in(const exchange_t *x, char *cell, int from_member, int to_member)
{
    return cell + (size_t)(from_member * x->most + to_member) * x->c->nbytes;
}

static void fill_cells(const exchange_t *x)
{
    const cw_map_t *map = x->c->map;
    char *cells = cw_call_at(x->c, map->local[0], x->cells);
    for (int d = 0; d < x->n; d++) {
        int node = (map->node + d) % x->n, nmembers = map->begin[node + 1] - map->begin[node];
        for (int i = 0; i < nmembers; i++)
            cw_alltoall_pack(x->c, map->members[map->begin[node] + i],
                             block_in(x, cells + (size_t)d * x->cell_nbytes, map->mine, i));
    }
}

static void empty_cells(const exchange_t *x)
{
    const cw_map_t *map = x->c->map;
    char *cells = cw_call_at(x->c, map->local[0], x->cells);
    for (int d = 0; d < x->n; d++) {
        int node = (map->node - d + x->n) % x->n,
            nmembers = map->begin[node + 1] - map->begin[node];
        for (int j = 0; j < nmembers; j++)
            cw_alltoall_unpack(x->c, map->members[map->begin[node] + j],
                               block_in(x, cells + (size_t)d * x->cell_nbytes, j, map->mine));
    }
}

/** Copies the cells whose distance has bit `step` to a row, or back; returns their number. */
static int move_cells(const exchange_t *x, int step, char *row, bool into_row)
{
    int moved = 0;
    for (int d = 1; d < x->n; d++) {
        if (!(d >> step & 1))
            continue;
        char *cell = x->cells + (size_t)d * x->cell_nbytes,
             *in_row = row + (size_t)moved++ * x->cell_nbytes;
        memcpy(into_row ? in_row : cell, into_row ? cell : in_row, x->cell_nbytes);
    }
    return moved;
}

static void exchange_leaders(const exchange_t *x, const cw_notes_t *notes)
{
    size_t row_nbytes = (size_t)((x->n + 1) / 2) * x->cell_nbytes;
    char *row = malloc(row_nbytes), *arrivals = x->cells + (size_t)x->n * x->cell_nbytes;
    if (!row)
        cwu_fatal("out of memory for an alltoall over %d nodes", x->n);
    for (int s = 0; 1 << s < x->n; s++, arrivals += row_nbytes) {
        int to = cw_call_leader(x->c, (x->c->map->node + (1 << s)) % x->n);
        int moved = move_cells(x, s, row, true);
        cw_coll_put(to, arrivals, row, (size_t)moved * x->cell_nbytes, false);
        cw_notes_step(notes, to, s);
        cw_notes_await_step(notes, s);
        move_cells(x, s, arrivals, false);
    }
    free(row);
    cw_quiet(&cw_ctx_default);
}

void cw_alltoall_bruck(const cw_coll_call_t *c)
{
    exchange_t x = {.c = c, .n = c->map->nnodes, .most = cw_map_most(c->map)};
    x.cell_nbytes = (size_t)x.most * (size_t)x.most * c->nbytes;
    x.cells = cw_group_scratch(c->group);
    fill_cells(&x);
    cw_sync(c->group);
    cw_notes_t notes = cw_notes_begin(c->group);
    if (cw_map_i_lead(c->map))
        exchange_leaders(&x, &notes);
    cw_notes_end(&notes, 1);
    cw_sync(c->group);
    empty_cells(&x);
}
