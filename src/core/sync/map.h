// SPDX-License-Identifier: BSD-3-Clause
//
// Where the members of a group are. Nodes are numbered in the order in which the ranks first touch
// them; members[] lists the ranks node by node, ascending within a node; the lowest rank of a node
// is the group's leader there. All PEs of a group compute the same map. The map of a team lives as
// long as the team; those of active sets are kept by the calling thread and reused: get one for
// each call, do not free it.
#ifndef CW_CORE_MAP_H
#define CW_CORE_MAP_H

#include "core/sync/group.h"

typedef struct cw_map {
    int start, stride, size;  // of the group; size 0: none yet
    int nnodes;
    int *members;      // [size] ranks, by node
    int *begin;        // [nnodes + 1] first member of each node
    int *node_id;      // [nnodes] world number of the node
    int node;          // this PE's, as numbered here
    int mine;          // index of this PE among the members of its node
    int nlocal;        // members on this node
    const int *local;  // their ranks [nlocal]
} cw_map_t;

const cw_map_t *cw_map_of(const cw_group_t *group);
/** Fills in *map, which is zero before. False: no memory. */
bool cw_map_build(cw_map_t *map, const cw_group_t *group);
void cw_map_drop(cw_map_t *map);
/** Frees those of active sets that this thread has kept. */
void cw_map_forget_all(void);

/** The rank of the leader of node k of the map. */
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
