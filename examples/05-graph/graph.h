// SPDX-License-Identifier: BSD-3-Clause
//
// A directed graph spread over all PEs in compressed rows, in symmetric memory.
//
// Vertex v belongs to PE v % npes and is number v / npes there: neighbouring numbers, which tend to
// have much in common, go to different PEs. Arcs name their other end by a position: below
// max_local a vertex of this PE, from max_local on a ghost, which is a vertex of another PE that
// some vertex here is adjacent to. Each PE holds its own vertices, their arcs in both directions
// and its ghosts; nothing grows with the whole graph or with npes * npes.
#ifndef GRAPH_H
#define GRAPH_H

#include <stdbool.h>
#include <stdint.h>

enum direction { ALONG = 1, AGAINST = 2, BOTH = ALONG | AGAINST };

struct rows {
    int64_t *first;  // symmetric: [max_local + 1]; arcs of vertex i: to[first[i]]
                     // .. to[first[i + 1] - 1]
    int64_t *to;     // symmetric: positions
};

struct graph {
    int me, npes;
    int base;  // number of the first vertex in the file: 0 or 1
    int64_t nverts, narcs;
    int64_t nlocal, max_local;
    struct rows out, in;
    int64_t nghosts;
    int64_t *ghosts;       // symmetric: the vertices, by owner and then by number
    int64_t *ghost_first;  // [npes + 1]: where each owner's ghosts begin
};

static inline int owner_of(const struct graph *g, int64_t v)
{
    return (int)(v % g->npes);
}

static inline int64_t local_of(const struct graph *g, int64_t v)
{
    return v / g->npes;
}

static inline int64_t vertex_of(const struct graph *g, int64_t local, int pe)
{
    return local * g->npes + pe;
}

// The number of vertices that a PE owns.
static inline int64_t nlocal_of(const struct graph *g, int pe)
{
    return (g->nverts - pe + g->npes - 1) / g->npes;
}

// The arcs that leave the vertices, or those that lead to them.
static inline const struct rows *rows_of(const struct graph *g, enum direction one)
{
    return one == ALONG ? &g->out : &g->in;
}

// The following functions are collective: every PE calls them with the same arguments.

// Reads the graph from a file that only PE 0 needs to have. A file that is malformed or too large
// ends the program with a message.
void graph_read(struct graph *g, const char *path);
void graph_destroy(struct graph *g);

// Arcs that touch a vertex, in the directions given; any PE may ask for any vertex.
int64_t graph_degree(const struct graph *g, int64_t v, enum direction d);

struct search {
    int64_t root;
    enum direction direction;
    int64_t *level;   // symmetric: [max_local], distance from the root or -1
    int64_t reached;  // vertices, of all PEs
    int64_t depth;    // largest level
    int64_t scanned;  // arcs followed, by all PEs
    int64_t deepest;  // the lowest-numbered vertex of the last level
};

// Breadth-first search. Allocates search->level at the first use of *s (zeroed by the caller).
void search_run(const struct graph *g, struct search *s, int64_t root, enum direction d);
void search_destroy(struct search *s);

// One PE alone: finds a shortest path from the root to v, walking back from v through the memory of
// the other PEs. path has room for depth + 1; returns the number of vertices.
int64_t search_path(const struct graph *g, const struct search *s, int64_t v, int64_t *path);

struct components {
    int64_t *label;   // symmetric: [max_local], the lowest vertex of the component
    int64_t count;    // of components
    int64_t largest;  // vertices in the largest
    int64_t rounds;   // exchanges of labels until none changed
    int64_t scanned;
};

// Connected components, the direction of arcs ignored.
void components_run(const struct graph *g, struct components *c);
void components_destroy(struct components *c);

// Reductions of one value over all PEs.
int64_t sum_over_pes(int64_t value);
int64_t max_over_pes(int64_t value);
int64_t min_over_pes(int64_t value);

// Allocates memory; ends the program with a message if there is none.
void *need_symmetric(int64_t nelems, int64_t nbytes_each, const char *what);
void *need_private(int64_t nelems, int64_t nbytes_each, const char *what);

#endif
