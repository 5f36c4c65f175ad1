// SPDX-License-Identifier: BSD-3-Clause
#include "core/coll/map.h"

#include <stdlib.h>
#include <string.h>

#define KEPT 8  // maps of the groups used last

static cw_map_t kept[KEPT];
static int next_victim;

static void drop(cw_map_t *map)
{
    free(map->members);
    free(map->begin);
    free(map->node_id);
    *map = (cw_map_t){0};
}

void cw_map_forget_all(void)
{
    for (int i = 0; i < KEPT; i++)
        drop(&kept[i]);
}

/** A counting sort of the ranks by node; index[] maps a world node to its number here. */
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

static void build(const cw_group_t *group, cw_map_t *map)
{
    size_t n = (size_t)group->size, nodes = (size_t)cw_world.nnodes;
    int *index = malloc(nodes * sizeof(int));
    map->members = malloc(n * sizeof(int));
    map->begin = calloc(nodes + 1, sizeof(int));
    map->node_id = malloc(nodes * sizeof(int));
    if (!index || !map->members || !map->begin || !map->node_id)
        cwu_fatal("out of memory for the map of a group of %d PEs", group->size);
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
}

const cw_map_t *cw_map_of(const cw_group_t *group)
{
    for (int i = 0; i < KEPT; i++)
        if (kept[i].size == group->size && kept[i].start == group->start && kept[i].stride == group->stride)
            return &kept[i];
    cw_map_t *map = &kept[next_victim];
    next_victim = (next_victim + 1) % KEPT;
    drop(map);
    build(group, map);
    return map;
}
