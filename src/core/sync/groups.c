// SPDX-License-Identifier: BSD-3-Clause
//
// The world, the barriers, and what groups have for collectives.
#include "core/rma/rma.h"
#include "core/sync/fused.h"
#include "core/sync/group.h"
#include "core/sync/map.h"
#include "core/sync/marked.h"
#include "core/sync/sync.h"
#include "core/sync/team.h"

static cw_group_sync_t sync_of_world, sync_of_farewell, sync_of_levels;
static cw_group_t world, farewell;  // farewell.sync: NULL before the first one of the epoch
static _Atomic uint32_t levels;     // of cw_threads_anywhere
enum { NOT_ASKED, ASKING, NOWHERE, ANYWHERE };
const cw_group_t *const cw_group_world = &world;

void cw_groups_init(void)
{
    world = (cw_group_t){.start = 0,
                         .stride = 1,
                         .size = cw_world.npes,
                         .rank = cw_world.pe,
                         .sync = &sync_of_world};
    farewell = world;
    farewell.sync = NULL;
    atomic_store_explicit(&levels, NOT_ASKED, memory_order_relaxed);
    sync_of_world = (cw_group_sync_t){.most = cw_world.nnodes > 1 ? CW_COLL_MEDIUM : CW_COLL_SMALL};
    cw_node_sync_init(&sync_of_world.node, cw_coll_local_area(), cw_world.pes_of_node,
                      cw_world.slot, cw_world.nslots, cw_world.nnodes);
    cw_leaders_init(&sync_of_world.leaders, &world, NULL, 0, 0);
    cw_teams_init();
    cw_marked_init();
}

void cw_groups_fini(void)
{
    cw_teams_fini();
    cw_map_drop(&sync_of_world.map);
    cw_map_forget_all();
}

static void open_apart(cw_group_t *group, cw_group_sync_t *sync, cw_apart_t which)
{
    *sync = (cw_group_sync_t){0};
    cw_node_sync_init(&sync->node, cw_coll_apart_area(which), cw_world.pes_of_node, cw_world.slot,
                      cw_world.nslots, cw_world.nnodes);
    sync->node.cpus = sync_of_world.node.cpus;  // late PEs have added theirs to it
    cw_leaders_init_apart(&sync->leaders, group, which);
    group->sync = sync;
}

/** PEs choose their levels by themselves. */
static uint32_t ask_levels(void)
{
    cw_group_t group = world;
    open_apart(&group, &sync_of_levels, CW_APART_LEVELS);
    return cw_fused_all(&group, !cw_world.thread_multiple) ? NOWHERE : ANYWHERE;
}

bool cw_threads_anywhere(void)
{
    cw_wait_t w = CW_WAIT_INIT("a collective");
    uint32_t now = atomic_load_explicit(&levels, memory_order_acquire);
    if (now == NOT_ASKED && atomic_compare_exchange_strong(&levels, &now, ASKING)) {
        // pairs with the loads
        atomic_store_explicit(&levels, now = ask_levels(), memory_order_release);
        cw_local_notify(cw_world.pe);
    }
    for (; now == ASKING; now = atomic_load_explicit(&levels, memory_order_acquire))
        cw_wait_round(&w);
    cw_wait_done(&w);
    return now == ANYWHERE;
}

void cw_farewell(bool last)
{
    if (!farewell.sync)
        open_apart(&farewell, &sync_of_farewell, CW_APART_FAREWELL);
    if (last)
        cw_node_sync_patient(&sync_of_farewell.node);
    cw_barrier(&farewell);
}

void cw_sync(const cw_group_t *group)
{
    if (group->sync)
        cw_fused(group, NULL, 0, NULL);
    else if (group->size > 1)
        cw_set_sync(group);
}

void cw_barrier(const cw_group_t *group)
{
    cw_quiet_default();
    cw_sync(group);
}

int cw_group_rank_of(const cw_group_t *group, int pe)
{
    if (!group->pes) {
        int away = pe - group->start, rank = away / group->stride;
        return away % group->stride == 0 && rank >= 0 && rank < group->size ? rank : -1;
    }
    for (int rank = 0; rank < group->size; rank++)
        if (group->pes[rank] == pe)
            return rank;
    return -1;
}

long *cw_group_words(const cw_group_t *group)
{
    return group->sync ? cw_coll_scratch()->words[group->sync->id] : group->psync;
}

long *cw_group_reached(const cw_group_t *group)
{
    return &group->sync->reached;
}

size_t cw_group_scratch_nbytes(const cw_group_t *group)
{
    if (!group->sync || group->sync->id >= CW_ROOMY_TEAMS)
        return 0;
    return group->sync->id == 0 ? CW_WORLD_HALF : CW_SCRATCH_HALF;
}

char *cw_group_scratch(const cw_group_t *group)
{
    group->sync->half++;
    return cw_group_scratch_again(group);
}

char *cw_group_scratch_again(const cw_group_t *group)
{
    cw_coll_scratch_t *scratch = cw_coll_scratch();
    unsigned half = group->sync->half & 1;
    return group->sync->id == 0 ? scratch->world_half[half] : scratch->half[group->sync->id][half];
}
