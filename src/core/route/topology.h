// SPDX-License-Identifier: BSD-3-Clause
//
// Virtual topologies of nodes, and the routes on them: arithmetic without state.
//
// Nodes are points of a grid, the lowest dimension running fastest; only the end of the highest may
// lack points. A node has an edge to every node that differs in one coordinate. The next hop takes
// over the target's coordinate in the lowest differing dimension that leads to an existing node.
//
// Such a hop always exists. If the highest coordinate that differs is smaller at the target, taking
// it over gives a number below this node's. If it is larger, a lower one gives a number below the
// target's; without a lower one the hop is the target. Routes' edges form no cycle, so buffers by
// edge cannot deadlock (ADR 49).
//
// Threads: any. Nothing waits.
#ifndef CW_CORE_ROUTE_TOPOLOGY_H
#define CW_CORE_ROUTE_TOPOLOGY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    CW_TOPOLOGY_DIMS = 24,  // hypercube of CW_TOPOLOGY_NODES
    CW_TOPOLOGY_NODES = 1 << 24
};

typedef struct cw_topology {
    uint32_t nnodes;
    uint32_t ndims;
    uint32_t extent[CW_TOPOLOGY_DIMS];
    uint32_t stride[CW_TOPOLOGY_DIMS];  // product of the extents below d
} cw_topology_t;

/** Sets *t by name, for 1 to CW_TOPOLOGY_NODES nodes: "fcg" (complete graph), "mfcg", "cfcg" (two
 *  and three dimensions, as equal as possible), "hypercube", or extents such as "4x3x2", lowest
 *  dimension first. False: unknown or too small, as `why` says. */
bool cw_topology_named(cw_topology_t *t, const char *name, uint32_t nnodes, char *why,
                       size_t why_nbytes);

/** What "auto" stands for; or "direct". */
const char *cw_topology_auto(uint32_t nnodes, uint32_t npes);

static inline uint32_t cw_topology_at(const cw_topology_t *t, uint32_t node, uint32_t dim)
{
    return node / t->stride[dim] % t->extent[dim];
}

// ---------------------------------------------------------------- edges
/** Node 0 has the most. */
uint32_t cw_topology_degree(const cw_topology_t *t, uint32_t node);
/** Neighbour i, counted by dimension and coordinate; i < degree. */
uint32_t cw_topology_neighbour(const cw_topology_t *t, uint32_t node, uint32_t i);
/** The reverse: the i of that neighbour. There must be an edge. */
uint32_t cw_topology_edge(const cw_topology_t *t, uint32_t node, uint32_t neighbour);

/** Bytes of a node's buffers: each edge has `count` of `nbytes` for each of the neighbour's `npes`
 *  PEs. */
uint64_t cw_topology_buffers(const cw_topology_t *t, uint32_t node, uint32_t npes, uint64_t nbytes,
                             uint32_t count);

// ---------------------------------------------------------------- routes
/** The next node; `to` itself if there is an edge. from != to. */
uint32_t cw_route_next(const cw_topology_t *t, uint32_t from, uint32_t to);
/** 0 if from == to. */
uint32_t cw_route_hops(const cw_topology_t *t, uint32_t from, uint32_t to);
/** weight[degree]: nodes whose routes to `node` lead through each of its edges, neighbour included:
 *  the edge's turns. False: no memory. */
bool cw_route_weights(const cw_topology_t *t, uint32_t node, uint32_t *weight);

typedef struct cw_topology_figures {
    uint64_t nedges;
    uint32_t most_degree, least_degree;
    uint32_t most_hops;
    double mean_hops;    // over pairs of different nodes; 0 for one node
} cw_topology_figures_t;

void cw_topology_figures(const cw_topology_t *t, cw_topology_figures_t *figures_p);

#endif
