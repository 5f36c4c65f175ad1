// SPDX-License-Identifier: BSD-3-Clause
//
// Leaders in a ring: each sends its node's blocks to the next, then forwards what came. In each of
// nodes - 1 steps every leader sends and receives once.
#include "core/coll/call.h"
#include "core/sync/notes.h"

static void go_around(const cw_coll_call_t *c, const cw_notes_t *notes)
{
    int n = c->map->nnodes, k = c->map->node, next = (k + 1) % n;
    for (int s = 0; s < n - 1; s++) {
        if (s > 0)
            cw_notes_await_count(notes, s);
        cw_gather_send(c, (k - s + n) % n, 1, next);
        cw_notes_count(notes, cw_call_leader(c, next), s + 1);
    }
    cw_notes_await_count(notes, n - 1);
}

void cw_gather_ring(const cw_coll_call_t *c)
{
    cw_gather_begin(c);
    cw_notes_t notes = cw_notes_begin(c->group);
    if (cw_map_i_lead(c->map))
        go_around(c, &notes);
    cw_notes_end(&notes, c->map->nnodes - 1);
    cw_gather_end(c);
}
