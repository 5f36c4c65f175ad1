// SPDX-License-Identifier: BSD-3-Clause
//
// Where the members of a group are; the same on all PEs. Nodes are numbered as ranks first touch
// them; a node's lowest rank is its leader. A team's map lives with it; the thread keeps those of
// active sets: get one for each call, do not free it.
#ifndef CW_CORE_MAP_H
#define CW_CORE_MAP_H

#include "core/sync/group.h"

typedef struct cw_map {
    int start, stride, size;  // of the group; size 0: none yet
    int nnodes;
    int *members;      // [size] ranks by node, ascending
    int *begin;        // [nnodes + 1] first member
    int *node_id;      // [nnodes] in the world
    int node;          // this PE's
    int mine;          // this PE's index on its node
    int nlocal;        // on this node
    const int *local;  // [nlocal] ranks
} cw_map_t;

const cw_map_t *cw_map_of(const cw_group_t *group);
/** *map is zero before. False: no memory. */
bool cw_map_build(cw_map_t *map, const cw_group_t *group);
void cw_map_drop(cw_map_t *map);
/** Frees this thread's maps of active sets. */
void cw_map_forget_all(void);

/** The rank of node k's leader. */
static inline int cw_map_leader(const cw_map_t *map, int k)
{
    return map->members[map->begin[k]];
}

/** Members of the largest node. */
int cw_map_most(const cw_map_t *map);

static inline bool cw_map_i_lead(const cw_map_t *map)
{
    return map->mine == 0;
}

#endif
