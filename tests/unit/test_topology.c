// SPDX-License-Identifier: BSD-3-Clause
//
// Virtual topologies: for every number of nodes up to a bound, and some above, each pair has a
// route of no more hops than dimensions over edges that exist, and the edges that follow each other
// on routes form no cycle. The same proof refuses plain lowest-dimension-first routing, which a
// grid with absent nodes breaks, and a routing whose edges form a cycle. With the argument "all" it
// covers the bounds of ADR 49 (minutes), else smaller ones (a second).
#include <math.h>
#include <stdbool.h>

#include "core/route/topology.h"
#include "frame/check.h"
#include "frame/random.h"

typedef uint32_t next_fn(const cw_topology_t *t, uint32_t from, uint32_t to);

static cw_topology_t named(const char *name, uint32_t nnodes)
{
    cw_topology_t t;
    char why[200] = "";
    REQUIRE(cw_topology_named(&t, name, nnodes, why, sizeof why), "%s of %u: %s", name, nnodes,
            why);
    return t;
}

/** Without the rule for nodes that do not exist. */
static uint32_t plain_next(const cw_topology_t *t, uint32_t from, uint32_t to)
{
    for (uint32_t d = 0; d < t->ndims; d++) {
        uint32_t have = cw_topology_at(t, from, d), want = cw_topology_at(t, to, d);
        if (have != want)
            return from + want * t->stride[d] - have * t->stride[d];
    }
    return to;
}

static uint32_t differing(const cw_topology_t *t, uint32_t a, uint32_t b)
{
    uint32_t n = 0;
    for (uint32_t d = 0; d < t->ndims; d++)
        n += cw_topology_at(t, a, d) != cw_topology_at(t, b, d);
    return n;
}

static bool is_edge(const cw_topology_t *t, uint32_t a, uint32_t b)
{
    return b < t->nnodes && differing(t, a, b) == 1;
}

/** Which number among the edges of `a` has that to `b`? */
static uint32_t edge_number(const cw_topology_t *t, uint32_t a, uint32_t b)
{
    uint32_t n = 0;
    for (uint32_t d = 0; d < t->ndims; d++) {
        uint32_t have = cw_topology_at(t, a, d), want = cw_topology_at(t, b, d);
        if (have != want)
            return n + (want < have ? want : want - 1);
        n += t->extent[d] - 1;
    }
    return n;
}

// ---------------------------------------------------------------- the channel graph
// A route that uses edge (a, b) and then (b, c) makes the second wait for the first. Edges are
// numbered a * width + number of the edge; follows[e] has a bit for each edge of b that follows.
static uint32_t width;
static uint64_t (*follows)[4];  // up to 256 edges of a node
static uint8_t *state;          // 0: not seen, 1: on the path, 2: done
static uint32_t *hop;           // of each node, to the target that is looked at

static uint32_t other_end(const cw_topology_t *t, uint32_t edge)
{
    uint32_t a = edge / width, n = edge % width;
    for (uint32_t d = 0; d < t->ndims; d++) {
        if (n < t->extent[d] - 1) {
            uint32_t have = cw_topology_at(t, a, d), at = n < have ? n : n + 1;
            return a + at * t->stride[d] - have * t->stride[d];
        }
        n -= t->extent[d] - 1;
    }
    return a;
}

static bool reaches_itself(const cw_topology_t *t, uint32_t edge)
{
    state[edge] = 1;
    uint32_t b = other_end(t, edge);
    for (uint32_t n = 0; n < width; n++)
        if (follows[edge][n / 64] >> (n % 64) & 1) {
            uint32_t next = b * width + n;
            if (state[next] == 1 || (state[next] == 0 && reaches_itself(t, next)))
                return true;
        }
    state[edge] = 2;
    return false;
}

/** Fills in hop[a] for all a, the next node on the way to a target: there must be an edge, and it
 *  must leave fewer coordinates that differ, so routes end. */
static bool all_hops(const cw_topology_t *t, next_fn *next, uint32_t to)
{
    for (uint32_t a = 0; a < t->nnodes; a++) {
        hop[a] = to;
        if (a == to)
            continue;
        uint32_t b = hop[a] = next(t, a, to);
        if (!is_edge(t, a, b) || differing(t, b, to) >= differing(t, a, to))
            return false;
    }
    return true;
}

/** All pairs of edges that follow each other on a route. */
static const char *walk(const cw_topology_t *t, next_fn *next)
{
    for (uint32_t to = 0; to < t->nnodes; to++) {
        if (!all_hops(t, next, to))
            return "a route leaves the topology";
        for (uint32_t a = 0; a < t->nnodes; a++) {
            uint32_t b = hop[a];
            if (b == to)
                continue;
            uint32_t n = edge_number(t, b, hop[b]);
            follows[a * width + edge_number(t, a, b)][n / 64] |= UINT64_C(1) << (n % 64);
        }
    }
    return NULL;
}

/** What is wrong with the routes, or NULL. */
static const char *wrong_with(const cw_topology_t *t, next_fn *next)
{
    width = 0;
    for (uint32_t d = 0; d < t->ndims; d++)
        width += t->extent[d] - 1;
    REQUIRE(width <= 256, "the test keeps 256 edges of a node");
    follows = calloc((size_t)t->nnodes * width + 1, sizeof *follows);
    state = calloc((size_t)t->nnodes * width + 1, 1);
    hop = calloc(t->nnodes, sizeof *hop);
    REQUIRE(follows && state && hop, "no memory");
    const char *wrong = walk(t, next);
    for (uint32_t e = 0; e < t->nnodes * width && !wrong; e++)
        if (other_end(t, e) < t->nnodes && state[e] == 0 && reaches_itself(t, e))
            wrong = "edges of routes form a cycle";
    free(follows);
    free(state);
    free(hop);
    return wrong;
}

static void test_size(const char *name, uint32_t nnodes)
{
    cw_topology_t t = named(name, nnodes);
    const char *wrong = wrong_with(&t, cw_route_next);
    CHECK(!wrong, "%s of %u nodes: %s", name, nnodes, wrong);
}

static void test_all_sizes(const char *name, uint32_t most)
{
    for (uint32_t n = 1; n <= most; n++)
        test_size(name, n);
}

/** Four dimensions, extents as equal as possible. */
static void test_four_dimensions(uint32_t most)
{
    for (uint32_t n = 1; n <= most; n++) {
        uint32_t extent[4] = {1, 1, 1, 1};
        for (int d = 0; extent[0] * extent[1] * extent[2] * extent[3] < n; d = (d + 1) % 4)
            extent[d]++;
        char name[64];
        snprintf(name, sizeof name, "%ux%ux%ux%u", extent[0], extent[1], extent[2], extent[3]);
        test_size(name, n);
    }
}

/** Four dimensions of any extents, with any number of nodes. */
static void test_odd_shapes(void)
{
    for (int i = 0; i < 200; i++) {
        char name[64];
        uint32_t a = 1 + (uint32_t)draw(6), b = 1 + (uint32_t)draw(5), c = 1 + (uint32_t)draw(5),
                 d = 1 + (uint32_t)draw(4);
        snprintf(name, sizeof name, "%ux%ux%ux%u", a, b, c, d);
        test_size(name, 1 + (uint32_t)draw(a * b * c * d));
    }
}

// ---------------------------------------------------------------- the proof can fail
static void test_plain_fails(void)
{
    cw_topology_t t = named("2x2", 3);
    CHECK(wrong_with(&t, plain_next), "node 2 reaches node 1 through node 3, which is absent");
    CHECK(!wrong_with(&t, cw_route_next));
    CHECK(cw_route_hops(&t, 2, 1) == 2 && cw_route_next(&t, 2, 1) == 0);
    t = named("4x4", 16);
    CHECK(cw_route_next(&t, 0, 9) == 1 && cw_route_next(&t, 15, 1) == 13, "the lowest is first");
    uint32_t fail = 0;
    for (uint32_t n = 2; n <= 300; n++) {
        t = named("mfcg", n);
        fail += wrong_with(&t, plain_next) != NULL;
    }
    CHECK(fail == 267, "plain routing fails for %u of 299 meshes", fail);
}

/** The lowest dimension first from even nodes, the highest first from odd ones. */
static uint32_t mixed_next(const cw_topology_t *t, uint32_t from, uint32_t to)
{
    for (uint32_t i = 0; i < t->ndims; i++) {
        uint32_t d = from % 2 ? t->ndims - 1 - i : i;
        uint32_t have = cw_topology_at(t, from, d), want = cw_topology_at(t, to, d);
        uint32_t next = from + want * t->stride[d] - have * t->stride[d];
        if (have != want && next < t->nnodes)
            return next;
    }
    return to;
}

static void test_cycle_fails(void)
{
    cw_topology_t t = named("3x3", 9);
    const char *wrong = wrong_with(&t, mixed_next);
    CHECK_STR(wrong ? wrong : "nothing", "edges of routes form a cycle");
}

/** Where the buffers of a node are one pool, a mesh has nodes that wait for each other. */
static void test_pools_wait(void)
{
    cw_topology_t t = named("2x2", 4);
    CHECK(cw_route_next(&t, 1, 2) == 0, "node 0 forwards to node 2");
    CHECK(cw_route_next(&t, 3, 0) == 2, "node 2 forwards to node 0");
}

// ---------------------------------------------------------------- edges and figures
static void check_node(const cw_topology_t *t, uint32_t node)
{
    uint32_t edges = 0, degree = cw_topology_degree(t, node), weight[64], behind[64] = {0};
    for (uint32_t other = 0; other < t->nnodes; other++)
        edges += other != node && is_edge(t, node, other);
    REQUIRE(degree == edges && degree <= 64, "node %u of %u has %u edges", node, t->nnodes, edges);
    REQUIRE(cw_route_weights(t, node, weight));
    for (uint32_t from = 0; from < t->nnodes; from++) {
        uint32_t at = from, next;
        while (at != node && (next = cw_route_next(t, at, node)) != node)
            at = next;
        if (at != node)
            behind[cw_topology_edge(t, node, at)]++;
    }
    for (uint32_t i = 0; i < degree; i++) {
        uint32_t there = cw_topology_neighbour(t, node, i);
        CHECK(is_edge(t, node, there) && cw_topology_edge(t, node, there) == i &&
                  (i == 0 || there != cw_topology_neighbour(t, node, i - 1)),
              "neighbour %u of node %u of %u", i, node, t->nnodes);
        CHECK(weight[i] == behind[i] && weight[i] > 0, "neighbour %u of node %u of %u: %u and %u",
              i, node, t->nnodes, weight[i], behind[i]);
    }
}

static void check_figures(const cw_topology_t *t)
{
    cw_topology_figures_t f;
    uint64_t ends = 0, hops = 0;
    uint32_t most = 0, longest = 0, least = UINT32_MAX;
    for (uint32_t a = 0; a < t->nnodes; a++) {
        uint32_t degree = cw_topology_degree(t, a);
        ends += degree;
        most = degree > most ? degree : most;
        least = degree < least ? degree : least;
        for (uint32_t b = 0; b < t->nnodes; b++) {
            uint32_t n = 0;
            for (uint32_t at = a; at != b; n++)
                at = cw_route_next(t, at, b);
            CHECK(n == cw_route_hops(t, a, b));
            hops += n;
            longest = n > longest ? n : longest;
        }
    }
    double pairs = (double)t->nnodes * (t->nnodes - 1), mean = pairs > 0 ? (double)hops / pairs : 0;
    cw_topology_figures(t, &f);
    CHECK(f.nedges == ends / 2 && ends % 2 == 0, "%u nodes", t->nnodes);
    CHECK(f.most_degree == most && f.least_degree == least, "%u nodes", t->nnodes);
    CHECK(cw_topology_degree(t, 0) == most, "%u nodes", t->nnodes);
    CHECK(f.most_hops == longest, "%u nodes: %u, not %u", t->nnodes, longest, f.most_hops);
    CHECK(fabs(f.mean_hops - mean) < 1e-9, "%u nodes: %f, not %f", t->nnodes, mean, f.mean_hops);
}

static void test_figures(void)
{
    static const char *const names[] = {"fcg", "mfcg", "cfcg", "hypercube", "3x1x4x5", "1x60"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        for (uint32_t n = 1; n <= 60; n++) {
            cw_topology_t t = named(names[k], n);
            check_figures(&t);
            for (uint32_t node = 0; node < n; node++)
                check_node(&t, node);
        }
}

/** 12,288 PEs on nodes of 12, 4 buffers of 16 KiB for each PE of a neighbour. */
static void test_buffers(void)
{
    static const struct {
        const char *name;
        uint32_t degree;
    } cases[] = {{"fcg", 1023}, {"mfcg", 62}, {"cfcg", 28}, {"hypercube", 10}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        cw_topology_t t = named(cases[k].name, 1024);
        CHECK(cw_topology_degree(&t, 0) == cases[k].degree, "%s", cases[k].name);
        CHECK(cw_topology_buffers(&t, 0, 12, 16384, 4) ==
                  (uint64_t)cases[k].degree * 12 * 16384 * 4,
              "%s", cases[k].name);
    }
    cw_topology_t t = named("fcg", 10923);
    CHECK(cw_topology_buffers(&t, 0, 12, 16384, 4) == UINT64_C(8589410304));
}

static void test_names(void)
{
    static const char *const bad[] = {
        "",   "ring", "4x",          "x4",   "0x3",
        "-1", "3x2",  "99999999999", "2x2 ", "1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1"};
    cw_topology_t t;
    char why[200];
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        why[0] = '\0';
        CHECK(!cw_topology_named(&t, bad[i], 7, why, sizeof why) && why[0], "\"%s\"", bad[i]);
    }
    CHECK(!cw_topology_named(&t, "fcg", 0, why, sizeof why));
    CHECK(!cw_topology_named(&t, "fcg", CW_TOPOLOGY_NODES + 1, why, sizeof why));
    CHECK(named("fcg", CW_TOPOLOGY_NODES).extent[0] == CW_TOPOLOGY_NODES);
    CHECK(named("hypercube", CW_TOPOLOGY_NODES).ndims == 24 && named("hypercube", 5).ndims == 3);
    t = named("mfcg", 1024);
    CHECK(t.extent[0] == 32 && t.extent[1] == 32);
    t = named("cfcg", 1024);
    CHECK(t.ndims == 3 && t.extent[0] == 11 && t.extent[1] == 10 && t.extent[2] == 10);
    t = named("4x3x2", 7);
    CHECK(t.ndims == 3 && t.extent[0] == 4 && t.stride[1] == 4 && t.stride[2] == 12);
}

static void test_auto(void)
{
    static const struct {
        uint32_t nnodes, npes;
        const char *name;
    } jobs[] = {{1, 64, "direct"},     {8, 8, "direct"},    {15, 1024, "direct"},
                {16, 16, "direct"},    {16, 63, "direct"},  {16, 64, "mfcg"},
                {64, 64, "mfcg"},      {511, 8176, "mfcg"}, {512, 512, "cfcg"},
                {2048, 131072, "cfcg"}};
    for (size_t i = 0; i < sizeof jobs / sizeof *jobs; i++) {
        const char *name = cw_topology_auto(jobs[i].nnodes, jobs[i].npes);
        CHECK(strcmp(name, jobs[i].name) == 0, "%u nodes, %u PEs: %s", jobs[i].nnodes, jobs[i].npes,
              name);
    }
}

int main(int argc, char **argv)
{
    bool all = argc > 1 && strcmp(argv[1], "all") == 0;
    test_names();
    test_auto();
    test_buffers();
    test_figures();
    test_plain_fails();
    test_cycle_fails();
    test_pools_wait();
    test_odd_shapes();
    test_all_sizes("fcg", 60);
    test_all_sizes("mfcg", all ? 2000 : 160);
    test_all_sizes("cfcg", all ? 640 : 120);
    test_all_sizes("hypercube", all ? 300 : 100);
    test_four_dimensions(all ? 300 : 100);
    static const uint32_t samples[] = {997, 1100, 4099, 10923};  // the last: 131,072 PEs of 12
    for (size_t i = 0; i < (all ? 4 : 1); i++) {
        test_size("mfcg", samples[i]);
        test_size("cfcg", samples[i]);
        test_size("hypercube", samples[i]);
    }
    return check_result();
}
