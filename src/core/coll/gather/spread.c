// SPDX-License-Identifier: BSD-3-Clause
//
// Each leader sends its node's blocks to all others at once. Step i comes from the leader i nodes
// before.
#include "core/coll/call.h"
#include "core/sync/notes.h"

void cw_gather_spread(const cw_coll_call_t *c)
{
    const cw_map_t *map = c->map;
    int n = map->nnodes;
    if (n > CW_NOTE_STEPS)
        cwu_fatal("fcollect or collect=spread over %d nodes; at most %d are supported", n,
                  CW_NOTE_STEPS);
    bool alone = map->nlocal == 1;  // copies its own block while the others receive it
    if (alone)
        cw_gather_enter(c);
    else
        cw_gather_begin(c);
    cw_notes_t notes = cw_notes_begin(c->group);
    if (cw_map_i_lead(map)) {
        for (int i = 1; i < n; i++) {
            int to = (map->node + i) % n;
            if (alone)
                cw_gather_send_own(c, to);
            else
                cw_gather_send(c, map->node, 1, to);
            cw_notes_step(&notes, cw_call_leader(c, to), i);
        }
        if (alone)
            cw_gather_load(c);
        for (int i = 1; i < n; i++)
            cw_notes_await_step(&notes, i);
    }
    cw_notes_end(&notes, 1);
    cw_gather_end(c);
}
