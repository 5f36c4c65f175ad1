// SPDX-License-Identifier: BSD-3-Clause
//
// The state by which the world and every team synchronise, and the synchronisation that carries a
// small value: each PE gives one, and each gets the combination of all. With 0 bytes it is the
// barrier.
#ifndef CW_CORE_FUSED_H
#define CW_CORE_FUSED_H

#include "core/sync/group.h"
#include "core/sync/leaders.h"
#include "core/sync/map.h"
#include "core/sync/node_sync.h"

/** State of a group in this process. */
typedef struct cw_group_sync {
    cw_node_sync_t node;
    cw_leaders_t leaders;
    size_t most;    // bytes that fit on a synchronisation
    int id;         // number of the team, below CW_TEAMS; 0: the world, 1: shared
    unsigned half;  // of the scratch, by its lowest bit: calls that took one
    long reached;   // cw_group_reached()
    cw_map_t map;   // made when it is first needed
    // of messages whose roots wait for no PE (core/coll/broadcast/publish.c): in which half they
    // lie, with how many bytes, which synchronisation came last before them, and the last root
    struct {
        unsigned half;
        uint32_t nbytes, behind;
        int root;
    } published;
} cw_group_sync_t;

/** The most bytes that fit on a synchronisation of the group; 0 for active sets. */
static inline size_t cw_fused_most(const cw_group_t *group)
{
    return group->sync ? group->sync->most : 0;
}

/** Do the members meet (node_sync.h)? The same on all. */
static inline bool cw_group_meets(const cw_group_t *group)
{
    return group->sync && group->sync->node.meets;
}

/** value: in, this PE's; out, the combination of all. nbytes <= cw_fused_most(); op may be NULL if
 *  nbytes is 0. Not for active sets. Collective over the group. [waits] */
void cw_fused(const cw_group_t *group, void *value, size_t nbytes, const cw_fused_op_t *op);
/** A synchronisation in which the leaders of the nodes meet in another way: when all members of a
 *  node have arrived, its leader calls lead(arg), which waits until it knows that all nodes have
 *  come so far. For groups of several nodes, not active sets. [waits] */
void cw_fused_led(const cw_group_t *group, void (*lead)(void *arg), void *arg);
/** Is `mine` true on all members? One synchronisation. [waits] */
bool cw_fused_all(const cw_group_t *group, bool mine);
/** Each word becomes the AND, or the largest, of all members' in one synchronisation: how members
 *  agree on a new team's number (team.h). At most CW_TEAMS / 64 of the first, CW_FUSED_MAX of the
 *  others; 0: none. [waits] */
void cw_fused_and_max(const cw_group_t *group, uint64_t *and_words, int nand, uint64_t *max_words,
                      int nmax);
enum { CW_FUSED_MAX = 3 };

#endif
