// SPDX-License-Identifier: BSD-3-Clause
//
// Each leader sends the blocks of its node to every other leader at once: nodes - 1 messages a
// leader.
#include "core/coll/call.h"
#include "core/rma/rma.h"

void cw_gather_spread(const cw_coll_call_t *c)
{
    const cw_map_t *map = c->map;
    cw_gather_begin(c);
    if (cw_map_i_lead(map)) {
        for (int i = 1; i < map->nnodes; i++)
            cw_gather_send(c, map->node, 1, (map->node + i) % map->nnodes);
        cw_quiet(&cw_ctx_default);
    }
    cw_gather_end(c);
}
