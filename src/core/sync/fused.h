// SPDX-License-Identifier: BSD-3-Clause
//
// What the world and every team synchronise by, and the synchronisation that carries a small value:
// every PE gives one, every PE gets the combination of all. With nbytes 0 it is the barrier itself.
#ifndef CW_CORE_COLL_FUSED_H
#define CW_CORE_COLL_FUSED_H

#include "core/sync/group.h"
#include "core/sync/leaders.h"
#include "core/sync/map.h"
#include "core/sync/node_sync.h"

/** State of a group in this process. */
typedef struct cw_group_sync {
    cw_node_sync_t node;  // first: a barrier of one node needs no more
    cw_leaders_t leaders;
    size_t most;          // bytes that can ride on a synchronisation
    int id;               // number of the team: 0 the world, 1 shared (CW_TEAMS of them)
    unsigned half;        // of the scratch that was used last
    long reached;         // what the group's words have come to; see sync.h
    cw_map_t map;         // made when it is needed first
} cw_group_sync_t;

/** Most bytes that can ride on a synchronisation of the group; 0 for active sets. */
static inline size_t cw_fused_most(const cw_group_t *group)
{
    return group->sync ? group->sync->most : 0;
}

/** value: mine, then everybody's; nbytes <= cw_fused_most(). op may be NULL when nbytes is 0. Not
 *  for active sets. */
void cw_fused(const cw_group_t *group, void *value, size_t nbytes, const cw_fused_op_t *op);
/** Do all members of the group say yes? One synchronisation. */
bool cw_fused_all(const cw_group_t *group, bool mine);

#endif
