// SPDX-License-Identifier: BSD-3-Clause
//
// Graph500's five rules. Every PE sends the level of each of its vertices along all edges; the
// receiver then has all that it needs to judge the edge. Validation does not trust the search:
// levels and parents are only claims.
//
//   1  the tree has no cycle: levels fall by one from child to parent (2), and only the root has
//      level 0
//   2  a tree edge joins levels that differ by one
//   3  any edge joins levels that differ by one at most
//   4  any edge has both ends in the tree or neither: so the tree spans the component
//   5  a vertex and its parent are joined by an edge of the graph
#include <stdlib.h>

#include "comm.h"
#include "graph.h"

// Judges one edge at the owner of `to`. Records whether it is the edge to the parent.
static int64_t judge(const struct graph *g, const struct tree *t, struct note n, bool *has_edge)
{
    int64_t v = local_of(g, n.to);
    bool in = t->parent[v] != NO_VERTEX, other_in = n.level != NO_VERTEX;
    if (in != other_in)
        return 1;  // rule 4
    if (!in)
        return 0;
    int32_t apart = t->level[v] - n.level;
    if (t->parent[v] == n.from && apart == 1)
        has_edge[v] = true;          // rules 2 and 5
    return apart < -1 || apart > 1;  // rule 3
}

static int64_t judge_vertices(const struct graph *g, uint32_t root, const struct tree *t,
                              const bool *has_edge)
{
    int64_t wrong = 0;
    for (int64_t v = 0; v < g->nlocal; v++) {
        bool is_root = global_of(g, v) == root;
        if (is_root)
            wrong += t->parent[v] != root || t->level[v] != 0;
        else if (t->parent[v] != NO_VERTEX)
            wrong += !has_edge[v] || t->level[v] <= 0;
        else
            wrong += t->level[v] != NO_VERTEX;
    }
    return wrong;
}

int64_t validate(const struct graph *g, struct mailbox *box, uint32_t root, const struct tree *t,
                 int64_t *reached, int64_t *edges)
{
    bool *has_edge = need(calloc((size_t)g->nlocal + 1, sizeof *has_edge));
    int64_t wrong = 0, mine = 0, ends = 0, count;
    for (int64_t v = 0; v < g->nlocal; v++) {
        bool in = t->parent[v] != NO_VERTEX;
        mine += in;
        ends += in ? g->begin[v + 1] - g->begin[v] : 0;
        for (int64_t k = g->begin[v]; k < g->begin[v + 1]; k++) {
            struct note n = {g->neighbour[k], global_of(g, v), in ? t->level[v] : NO_VERTEX};
            if (owner_of(g, n.to) == g->me)
                wrong += judge(g, t, n, has_edge);
            else
                mailbox_post(box, owner_of(g, n.to), n);
        }
    }
    const struct note *note = mailbox_deliver(box, &count);
    for (int64_t i = 0; i < count; i++)
        wrong += judge(g, t, note[i], has_edge);
    wrong += judge_vertices(g, root, t, has_edge);
    free(has_edge);
    *reached = comm_sum(mine);
    *edges = comm_sum(ends) / 2;
    return comm_sum(wrong);
}
