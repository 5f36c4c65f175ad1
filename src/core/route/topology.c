// SPDX-License-Identifier: BSD-3-Clause
//
// Topologies by name, edges, routes.
#include "core/route/topology.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---------------------------------------------------------------- shapes
static uint64_t room_of(const cw_topology_t *t)
{
    uint64_t room = 1;
    for (uint32_t d = 0; d < t->ndims; d++)
        room *= t->extent[d];
    return room;
}

static void set_strides(cw_topology_t *t)
{
    uint64_t stride = 1;
    for (uint32_t d = 0; d < t->ndims; d++) {
        t->stride[d] = (uint32_t)stride;
        stride *= t->extent[d];
    }
}

static void make_complete(cw_topology_t *t)
{
    t->ndims = 1;
    t->extent[0] = t->nnodes;
}

/** As equal as possible, with room for all nodes. */
static void make_even(cw_topology_t *t, uint32_t ndims)
{
    t->ndims = ndims;
    for (uint32_t d = 0; d < ndims; d++)
        t->extent[d] = 1;
    for (uint32_t d = 0; room_of(t) < t->nnodes; d = (d + 1) % ndims)
        t->extent[d]++;
}

static void make_hypercube(cw_topology_t *t)
{
    t->ndims = 0;
    do
        t->extent[t->ndims++] = 2;
    while (room_of(t) < t->nnodes);
}

/** "4x3x2"; strides must fit into uint32_t. */
static bool parse_extents(cw_topology_t *t, const char *name)
{
    uint64_t room = 1;
    for (t->ndims = 0; t->ndims < CW_TOPOLOGY_DIMS; name++) {
        if (*name < '0' || *name > '9')
            return false;
        char *end;
        unsigned long n = strtoul(name, &end, 10);
        if (n == 0 || n > CW_TOPOLOGY_NODES || (room *= n) > 2 * CW_TOPOLOGY_NODES)
            return false;
        t->extent[t->ndims++] = (uint32_t)n;
        if (*end != 'x')
            return *end == '\0';
        name = end;
    }
    return false;
}

static bool make_named(cw_topology_t *t, const char *name)
{
    if (strcmp(name, "fcg") == 0)
        make_complete(t);
    else if (strcmp(name, "mfcg") == 0)
        make_even(t, 2);
    else if (strcmp(name, "cfcg") == 0)
        make_even(t, 3);
    else if (strcmp(name, "hypercube") == 0)
        make_hypercube(t);
    else
        return parse_extents(t, name);
    return true;
}

bool cw_topology_named(cw_topology_t *t, const char *name, uint32_t nnodes, char *why,
                       size_t why_nbytes)
{
    *t = (cw_topology_t){.nnodes = nnodes};
    if (nnodes == 0 || nnodes > CW_TOPOLOGY_NODES) {
        snprintf(why, why_nbytes, "a topology has 1 to %d nodes, not %u", CW_TOPOLOGY_NODES,
                 nnodes);
        return false;
    }
    if (!make_named(t, name)) {
        snprintf(why, why_nbytes, "no topology has that name");
        return false;
    }
    if (room_of(t) < nnodes) {
        snprintf(why, why_nbytes, "topology %s has room for %llu nodes; there are %u", name,
                 (unsigned long long)room_of(t), nnodes);
        return false;
    }
    set_strides(t);
    return true;
}

const char *cw_topology_auto(uint32_t nnodes, uint32_t npes)
{
    // measured (ADR 54); cube: simulated
    const uint32_t nodes = 16, pes = 64, cube = 512;
    return nnodes < nodes || npes < pes ? "direct" : nnodes < cube ? "mfcg" : "cfcg";
}

// ---------------------------------------------------------------- edges
/** The node with another coordinate in one dimension; none if >= nnodes. */
static uint32_t moved(const cw_topology_t *t, uint32_t node, uint32_t dim, uint32_t at)
{
    return node - cw_topology_at(t, node, dim) * t->stride[dim] + at * t->stride[dim];
}

/** Nodes that differ from `base`, of coordinate 0 there, in one dimension; itself included. */
static uint32_t row_of(const cw_topology_t *t, uint32_t base, uint32_t dim)
{
    uint32_t present = (t->nnodes - 1 - base) / t->stride[dim] + 1;
    return present < t->extent[dim] ? present : t->extent[dim];
}

uint32_t cw_topology_degree(const cw_topology_t *t, uint32_t node)
{
    uint32_t degree = 0;
    for (uint32_t d = 0; d < t->ndims; d++)
        degree += row_of(t, moved(t, node, d, 0), d) - 1;
    return degree;
}

uint32_t cw_topology_neighbour(const cw_topology_t *t, uint32_t node, uint32_t i)
{
    for (uint32_t d = 0; d < t->ndims; d++) {
        uint32_t base = moved(t, node, d, 0), n = row_of(t, base, d) - 1;
        if (i < n)
            return base + (i < cw_topology_at(t, node, d) ? i : i + 1) * t->stride[d];
        i -= n;
    }
    return node;  // i >= degree
}

uint32_t cw_topology_edge(const cw_topology_t *t, uint32_t node, uint32_t neighbour)
{
    uint32_t i = 0, d = 0;
    while (cw_topology_at(t, node, d) == cw_topology_at(t, neighbour, d)) {
        i += row_of(t, moved(t, node, d, 0), d) - 1;
        d++;
    }
    uint32_t at = cw_topology_at(t, neighbour, d);
    return i + (at < cw_topology_at(t, node, d) ? at : at - 1);
}

uint64_t cw_topology_buffers(const cw_topology_t *t, uint32_t node, uint32_t npes, uint64_t nbytes,
                             uint32_t count)
{
    return (uint64_t)cw_topology_degree(t, node) * npes * nbytes * count;
}

// ---------------------------------------------------------------- routes
uint32_t cw_route_next(const cw_topology_t *t, uint32_t from, uint32_t to)
{
    for (uint32_t d = 0; d < t->ndims; d++) {
        uint32_t at = cw_topology_at(t, to, d);
        if (at == cw_topology_at(t, from, d))
            continue;
        uint32_t next = moved(t, from, d, at);
        if (next < t->nnodes)
            return next;
    }
    return to;  // not reached: see the header
}

uint32_t cw_route_hops(const cw_topology_t *t, uint32_t from, uint32_t to)
{
    uint32_t n = 0;
    for (uint32_t d = 0; d < t->ndims; d++)
        n += cw_topology_at(t, from, d) != cw_topology_at(t, to, d);
    return n;
}

/** The last node before `node` on the route from another one. known[nnodes]: that + 1; 0:
 *  unknown. */
static uint32_t last_before(const cw_topology_t *t, uint32_t from, uint32_t node, uint32_t *known)
{
    uint32_t at = from, next, last;
    while (!known[at] && (next = cw_route_next(t, at, node)) != node)
        at = next;
    last = known[at] ? known[at] : at + 1;
    for (at = from; at != node && !known[at]; at = next) {
        next = cw_route_next(t, at, node);
        known[at] = last;
    }
    return last - 1;
}

bool cw_route_weights(const cw_topology_t *t, uint32_t node, uint32_t *weight)
{
    uint32_t *known = calloc(t->nnodes, 2 * sizeof *known), degree = cw_topology_degree(t, node);
    if (!known)
        return false;
    uint32_t *behind = known + t->nnodes;  // by neighbour
    for (uint32_t from = 0; from < t->nnodes; from++)
        if (from != node)
            behind[last_before(t, from, node, known)]++;
    for (uint32_t edge = 0; edge < degree; edge++)
        weight[edge] = behind[cw_topology_neighbour(t, node, edge)];
    free(known);
    return true;
}

/** Ordered pairs that differ in a dimension. */
static double pairs_apart(const cw_topology_t *t, uint32_t dim)
{
    double alike = 0;
    uint64_t stride = t->stride[dim], period = stride * t->extent[dim];
    uint64_t turns = t->nnodes / period, rest = t->nnodes % period;
    for (uint64_t at = 0; at < t->extent[dim]; at++) {
        uint64_t over = rest > at * stride ? rest - at * stride : 0;
        double n = (double)(turns * stride + (over < stride ? over : stride));
        alike += n * n;
    }
    return (double)t->nnodes * t->nnodes - alike;
}

void cw_topology_figures(const cw_topology_t *t, cw_topology_figures_t *figures_p)
{
    cw_topology_figures_t f = {.least_degree = UINT32_MAX};
    uint64_t ends = 0;
    for (uint32_t node = 0; node < t->nnodes; node++) {
        uint32_t degree = cw_topology_degree(t, node);
        ends += degree;
        f.most_degree = degree > f.most_degree ? degree : f.most_degree;
        f.least_degree = degree < f.least_degree ? degree : f.least_degree;
    }
    f.nedges = ends / 2;
    double hops = 0;
    for (uint32_t d = 0; d < t->ndims; d++) {
        // The first node that left 0 in this dimension differs from one in all lower ones.
        f.most_hops += t->extent[d] > 1 && t->stride[d] < t->nnodes;
        hops += pairs_apart(t, d);
    }
    if (t->nnodes > 1)
        f.mean_hops = hops / ((double)t->nnodes * (t->nnodes - 1));
    *figures_p = f;
}
