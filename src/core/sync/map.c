// SPDX-License-Identifier: BSD-3-Clause
//
// Maps of groups, by a counting sort.
#include "core/sync/map.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "core/sync/fused.h"

#define KEPT 8  // of the active sets used last

static _Thread_local struct {
    cw_map_t map[KEPT];
    int next_victim;
    bool at_exit;  // freed when this thread ends
} kept;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t end_of_thread;

void cw_map_drop(cw_map_t *map)
{
    free(map->members);
    free(map->begin);
    free(map->node_id);
    *map = (cw_map_t){0};
}

void cw_map_forget_all(void)
{
    for (int i = 0; i < KEPT; i++)
        cw_map_drop(&kept.map[i]);
}

static void forget(void *arg)
{
    (void)arg;
    cw_map_forget_all();
}

static void make_key(void)
{
    // without the key the last maps of a thread leak
    (void)pthread_key_create(&end_of_thread, forget);
}

static void forget_at_exit(void)
{
    if (kept.at_exit)
        return;
    pthread_once(&once, make_key);
    kept.at_exit = pthread_setspecific(end_of_thread, &kept) == 0;
}

/** index[] maps a world node to its number here. */
static void sort_members(const cw_group_t *group, cw_map_t *map, int *index)
{
    for (int r = 0; r < group->size; r++) {
        int node = cw_world.node_of_pe[cw_group_pe(group, r)];
        if (index[node] < 0) {
            index[node] = map->nnodes;
            map->node_id[map->nnodes++] = node;
        }
        map->begin[index[node] + 1]++;
    }
    for (int k = 0; k < map->nnodes; k++)
        map->begin[k + 1] += map->begin[k];
    int *at = map->begin;  // used as cursors, then shifted back
    for (int r = 0; r < group->size; r++)
        map->members[at[index[cw_world.node_of_pe[cw_group_pe(group, r)]]]++] = r;
    memmove(map->begin + 1, map->begin, (size_t)map->nnodes * sizeof(int));
    map->begin[0] = 0;
}

bool cw_map_build(cw_map_t *map, const cw_group_t *group)
{
    size_t n = (size_t)group->size, nodes = (size_t)cw_world.nnodes, most = nodes < n ? nodes : n;
    int *index = malloc(nodes * sizeof(int));
    map->members = malloc(n * sizeof(int));
    map->begin = calloc(most + 1, sizeof(int));
    map->node_id = malloc(most * sizeof(int));
    if (!index || !map->members || !map->begin || !map->node_id) {
        free(index);
        cw_map_drop(map);
        return false;
    }
    memset(index, 0xff, nodes * sizeof(int));
    map->start = group->start;
    map->stride = group->stride;
    map->size = group->size;
    sort_members(group, map, index);
    map->node = index[cw_world.node];
    free(index);
    map->local = map->members + map->begin[map->node];
    map->nlocal = map->begin[map->node + 1] - map->begin[map->node];
    while (map->local[map->mine] != group->rank)
        map->mine++;
    return true;
}

static const cw_map_t *built(cw_map_t *map, const cw_group_t *group)
{
    if (!cw_map_build(map, group))
        cwu_fatal("out of memory for the map of a group of %d PEs", group->size);
    return map;
}

static const cw_map_t *map_of_set(const cw_group_t *group)
{
    for (int i = 0; i < KEPT; i++)
        if (kept.map[i].size == group->size && kept.map[i].start == group->start &&
            kept.map[i].stride == group->stride)
            return &kept.map[i];
    forget_at_exit();
    cw_map_t *map = &kept.map[kept.next_victim];
    kept.next_victim = (kept.next_victim + 1) % KEPT;
    cw_map_drop(map);
    return built(map, group);
}

const cw_map_t *cw_map_of(const cw_group_t *group)
{
    if (!group->sync)
        return map_of_set(group);
    cw_map_t *map = &group->sync->map;
    return map->size ? map : built(map, group);
}

int cw_map_most(const cw_map_t *map)
{
    int most = 0;
    for (int k = 0; k < map->nnodes; k++)
        if (map->begin[k + 1] - map->begin[k] > most)
            most = map->begin[k + 1] - map->begin[k];
    return most;
}
