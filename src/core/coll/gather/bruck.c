// SPDX-License-Identifier: BSD-3-Clause
//
// After step j each leader has the blocks of 2^(j+1) nodes from its own on: it sends all that it
// has to the leader 2^j before it. Blocks travel to their final places at once, so no rotation
// follows.
//
// Bruck, Ho, Kipnis, Upfal, Weathersby: Efficient algorithms for all-to-all communications in
// multiport message-passing systems, 1997.
#include "core/coll/call.h"
#include "core/sync/notes.h"

static void exchange(const cw_coll_call_t *c, const cw_notes_t *notes)
{
    int n = c->map->nnodes, k = c->map->node;
    for (int j = 0; 1 << j < n; j++) {
        int have = 1 << j, to = (k - have + n) % n;
        cw_gather_send(c, k, have < n - have ? have : n - have, to);
        cw_notes_step(notes, cw_call_leader(c, to), j);
        cw_notes_await_step(notes, j);
    }
}

void cw_gather_bruck(const cw_coll_call_t *c)
{
    cw_gather_begin(c);
    cw_notes_t notes = cw_notes_begin(c->group);
    if (cw_map_i_lead(c->map))
        exchange(c, &notes);
    cw_notes_end(&notes, 1);
    cw_gather_end(c);
}
