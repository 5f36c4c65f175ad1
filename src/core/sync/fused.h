// SPDX-License-Identifier: BSD-3-Clause
//
// The synchronisation of the world and of teams, with a small value: each PE gives one and gets the
// combination of all. With 0 bytes it is the barrier.
#ifndef CW_CORE_FUSED_H
#define CW_CORE_FUSED_H

#include "core/sync/group.h"
#include "core/sync/leaders.h"
#include "core/sync/map.h"
#include "core/sync/node_sync.h"

typedef struct cw_group_sync {
    cw_node_sync_t node;
    cw_leaders_t leaders;
    size_t most;    // bytes that fit on a synchronisation
    int id;         // of the team; 0: the world, 1: shared
    unsigned half;  // lowest bit: half of the scratch that was taken last
    long reached;   // cw_group_reached()
    cw_map_t map;   // made when first needed
    // core/coll/broadcast/publish.c, of messages whose roots do not wait: synchronisation before
    // them (behind), last root
    struct {
        unsigned half;
        uint32_t nbytes, behind;
        int root;
    } published;
} cw_group_sync_t;

/** 0 for active sets. */
static inline size_t cw_fused_most(const cw_group_t *group)
{
    return group->sync ? group->sync->most : 0;
}

/** The same on all members. */
static inline bool cw_group_meets(const cw_group_t *group)
{
    return group->sync && group->sync->node.meets;
}

/** value: in, this PE's; out, the combination. nbytes <= cw_fused_most(); op may be NULL for 0. Not
 *  for active sets. Collective. [waits] */
void cw_fused(const cw_group_t *group, void *value, size_t nbytes, const cw_fused_op_t *op);
/** When a node's members have arrived, its leader calls lead(arg), which returns when all nodes
 *  have come so far. For several nodes, not active sets. Collective. [waits] */
void cw_fused_led(const cw_group_t *group, void (*lead)(void *arg), void *arg);
/** Is `mine` true on all members? [waits] */
bool cw_fused_all(const cw_group_t *group, bool mine);
/** Each word becomes the AND, or the largest, of all members'; at most CW_TEAMS / 64 and
 *  CW_FUSED_MAX, or 0. [waits] */
void cw_fused_and_max(const cw_group_t *group, uint64_t *and_words, int nand, uint64_t *max_words,
                      int nmax);
enum { CW_FUSED_MAX = 3 };

#endif
