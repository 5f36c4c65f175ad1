// SPDX-License-Identifier: BSD-3-Clause
//
// Virtual topologies over the nodes of a job, and the routes on them: arithmetic only, no state.
//
// Nodes are the points of a grid, numbered from 0 with the lowest dimension running fastest, so
// that a grid which is not full lacks points at the end of its highest dimension only. A node has
// an edge to every node that differs from it in one coordinate: one dimension is the complete
// graph, extents of 2 are a hypercube. A request travels by extended lowest-dimension-first
// routing: the next hop takes over the target's coordinate in the lowest dimension where both
// differ and that leads to a node which exists.
//
// Such a hop always exists. If the highest coordinate that differs is smaller at the target, taking
// it over gives a smaller number than this node's. If it is larger, taking over a lower one gives a
// number below the target's, and without a lower one the hop is the target. Each hop settles one
// dimension for good, so a route has as many hops as coordinates differ. The edges that follow each
// other on routes form no cycle, so buffers by edge cannot deadlock: ADR 49 proves it, and
// tests/unit/test_topology.c tests it by exhaustion.
//
// Threads: any. Nothing here waits.
#ifndef CW_CORE_ROUTE_TOPOLOGY_H
#define CW_CORE_ROUTE_TOPOLOGY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    CW_TOPOLOGY_DIMS = 24,  // of a hypercube of CW_TOPOLOGY_NODES
    CW_TOPOLOGY_NODES = 1 << 24
};

typedef struct cw_topology {
    uint32_t nnodes;
    uint32_t ndims;
    uint32_t extent[CW_TOPOLOGY_DIMS];  // coordinates of dimension d: 0 to extent[d] - 1
    uint32_t stride[CW_TOPOLOGY_DIMS];  // of the number of a node: product of the extents below d
} cw_topology_t;

/** Fills in the topology that a text names for 1 to CW_TOPOLOGY_NODES nodes: "fcg" (complete
 *  graph), "mfcg", "cfcg" (two and three dimensions, extents as equal as possible), "hypercube", or
 *  extents such as "4x3x2", lowest dimension first. False: there is no such topology, or it has too
 *  little room; then `why` says so, and *t is undefined. */
bool cw_topology_named(cw_topology_t *t, const char *name, uint32_t nnodes, char *why,
                       size_t why_nbytes);

/** The name that "auto" stands for in a job of so many nodes and PEs, or "direct". */
const char *cw_topology_auto(uint32_t nnodes, uint32_t npes);

static inline uint32_t cw_topology_at(const cw_topology_t *t, uint32_t node, uint32_t dim)
{
    return node / t->stride[dim] % t->extent[dim];
}

// ---------------------------------------------------------------- edges
/** Edges of a node; node 0 has the most. */
uint32_t cw_topology_degree(const cw_topology_t *t, uint32_t node);
/** Neighbour i of a node, by dimension and coordinate; i < degree. */
uint32_t cw_topology_neighbour(const cw_topology_t *t, uint32_t node, uint32_t i);
/** The reverse: the i of that neighbour. There must be an edge. */
uint32_t cw_topology_edge(const cw_topology_t *t, uint32_t node, uint32_t neighbour);

/** Bytes of the buffers at a node where each edge has `count` buffers of `nbytes` for each PE of
 *  the neighbour, with `npes` PEs on every node. */
uint64_t cw_topology_buffers(const cw_topology_t *t, uint32_t node, uint32_t npes, uint64_t nbytes,
                             uint32_t count);

// ---------------------------------------------------------------- routes
/** The next node on the way; `to` itself if there is an edge. from != to. */
uint32_t cw_route_next(const cw_topology_t *t, uint32_t from, uint32_t to);
/** Edges of the route; 0 if from == to. */
uint32_t cw_route_hops(const cw_topology_t *t, uint32_t from, uint32_t to);
/** Fills in weight[degree]: through how many nodes' routes to `node`, the neighbour's own included,
 *  each of its edges leads, which is the turns that the edge gets. False: there is no memory. */
bool cw_route_weights(const cw_topology_t *t, uint32_t node, uint32_t *weight);

typedef struct cw_topology_figures {
    uint64_t nedges;
    uint32_t most_degree, least_degree;
    uint32_t most_hops;  // of the longest route
    double mean_hops;    // over all pairs of different nodes; 0 if there is one node
} cw_topology_figures_t;

void cw_topology_figures(const cw_topology_t *t, cw_topology_figures_t *figures_p);

#endif
