// SPDX-License-Identifier: BSD-3-Clause
//
// The call, and what its algorithms share.
#include "core/coll/broadcast/broadcast.h"

#include "core/mem/copy.h"
#include "core/sync/sync.h"

bool cw_broadcast_copies(const cw_coll_call_t *c)
{
    return c->group->rank != c->root || (c->root_copies && c->dest != c->src);
}

int cw_broadcast_root_node(const cw_coll_call_t *c)
{
    int node = cw_world.node_of_pe[cw_call_pe(c, c->root)], k = 0;
    while (c->map->node_id[k] != node)
        k++;
    return k;
}

/** All members of the node but one write what all read. */
static void load(const cw_coll_call_t *c, const char *from)
{
    cw_copy_part(c->dest, from, c->nbytes, (size_t)c->map->nlocal * c->nbytes);
}

void cw_broadcast_within_nodes(const cw_coll_call_t *c)
{
    bool root = c->group->rank == c->root, with_root = c->map->node == cw_broadcast_root_node(c);
    if (root && cw_broadcast_copies(c))
        memmove(c->dest, c->src, c->nbytes);
    else if (!root && with_root)
        load(c, cw_call_at(c, c->root, c->src));
    else if (!root && !cw_map_i_lead(c->map))
        load(c, cw_call_at(c, c->map->local[0], c->dest));
    cw_sync_on_node(c->group);
}

void cw_broadcast(const cw_group_t *group, void *dest, const void *src, size_t nbytes,
                  int root_rank, bool root_copies)
{
    cw_coll_call_t c = {.kind = CW_COLL_broadcast,
                        .group = group,
                        .dest = dest,
                        .src = src,
                        .nbytes = nbytes,
                        .root = root_rank,
                        .root_copies = root_copies};
    cw_coll_run_or_sync(&c);
}
