// SPDX-License-Identifier: BSD-3-Clause
//
// Synchronisation of an active set. OpenSHMEM gives it 16 words of the user's symmetric memory
// (pSync), zero before and after, and usable at once for another set: no counters that only grow.
//
//   psync[0]      on a node's leader: members of the node that have arrived
//   psync[1]      on every member: released
//   psync[2 + k]  on a leader: the subtree of child k has arrived (binomial tree of the nodes)
//   psync[15]     notes (notes.c); between them a size (collect.c)
//
// Atomics set the words (peer.h). The owner clears a word after all that is due in it, before it
// releases a PE that could write it again, whose acquire shows the clearing.
#include "core/sync/sync.h"

#include "core/progress/wait.h"
#include "core/sync/map.h"
#include "core/sync/peer.h"

enum { COUNT = 0, GO = 1, CHILD = 2, MOST_CHILDREN = CW_PSYNC_NOTES - CHILD };

/** At the leader of its node; returns how many have come. */
static long arrive(const cw_group_t *group, int leader_rank)
{
    int pe = cw_group_pe(group, leader_rank);
    long *count = cw_coll_at(pe, &group->psync[COUNT]);
    // acq_rel: each arriver acquires those before it; seq_cst: before the test for sleepers
    long before = __atomic_fetch_add(count, 1, __ATOMIC_SEQ_CST);
    cw_local_stored_in_order(pe);
    return before + 1;
}

static void await_and_clear(long *word, long value)
{
    cw_coll_await_word(word, value);
    // released to the next writer of the word by the GO that follows
    __atomic_store_n(word, 0, __ATOMIC_RELAXED);
}

static void release_node(const cw_group_t *group, const cw_map_t *map)
{
    for (int i = 0; i < map->nlocal; i++)
        if (i != map->mine)
            cw_coll_set_word(cw_group_pe(group, map->local[i]), &group->psync[GO], 1);
}

static void sync_on_node(const cw_group_t *group, const cw_map_t *map)
{
    if (arrive(group, map->local[0]) < map->nlocal) {
        await_and_clear(&group->psync[GO], 1);
        return;
    }
    long *count = cw_coll_at(cw_group_pe(group, map->local[0]), &group->psync[COUNT]);
    __atomic_store_n(count, 0, __ATOMIC_RELAXED);
    release_node(group, map);
}

/** Arrivals go up a binomial tree, the release comes down. */
static void sync_leaders(const cw_group_t *group, const cw_map_t *map)
{
    int node = map->node, k = 0;
    for (; node + (1 << k) < map->nnodes && !(node >> k & 1); k++)
        await_and_clear(&group->psync[CHILD + k], 1);
    int nchildren = k;
    if (node > 0) {
        int up = __builtin_ctz((unsigned)node);
        int parent = cw_group_pe(group, cw_map_leader(map, node - (1 << up)));
        cw_coll_set_word(parent, &group->psync[CHILD + up], 1);
        await_and_clear(&group->psync[GO], 1);
    }
    while (nchildren-- > 0)
        cw_coll_set_word(cw_group_pe(group, cw_map_leader(map, node + (1 << nchildren))),
                         &group->psync[GO], 1);
}

void cw_set_sync(const cw_group_t *group)
{
    const cw_map_t *map = cw_map_of(group);
    if (map->nnodes == 1) {
        sync_on_node(group, map);
        return;
    }
    if (!cw_map_i_lead(map)) {
        arrive(group, map->local[0]);
        await_and_clear(&group->psync[GO], 1);
        return;
    }
    if (map->nnodes > 1 << MOST_CHILDREN)
        cwu_fatal("an active set over %d nodes; at most %d are supported", map->nnodes,
                  1 << MOST_CHILDREN);
    if (map->nlocal > 1)
        await_and_clear(&group->psync[COUNT], map->nlocal - 1);
    sync_leaders(group, map);
    release_node(group, map);
}
