// SPDX-License-Identifier: BSD-3-Clause
//
// Breadth-first search, level by level: the owner of a vertex of the frontier sends notes to the
// owners of its neighbours; the sender of the first note about a vertex becomes its parent. The
// whole search uses an edge at most once in each direction, so the mailbox never holds more notes
// than the receiver has entries.
#include <stdlib.h>

#include "comm.h"
#include "graph.h"

struct frontier {
    int64_t *vertex;
    int64_t n;
};

static void reach(const struct graph *g, const struct tree *t, struct frontier *next, uint32_t v,
                  uint32_t parent, int32_t level)
{
    int64_t local = local_of(g, v);
    if (t->parent[local] != NO_VERTEX)
        return;
    t->parent[local] = parent;
    t->level[local] = level;
    next->vertex[next->n++] = local;
}

static void expand(const struct graph *g, struct mailbox *box, const struct tree *t,
                   const struct frontier *now, struct frontier *next, int32_t level)
{
    for (int64_t i = 0; i < now->n; i++) {
        int64_t local = now->vertex[i];
        uint32_t from = global_of(g, local);
        for (int64_t k = g->begin[local]; k < g->begin[local + 1]; k++) {
            uint32_t to = g->neighbour[k];
            int pe = owner_of(g, to);
            if (pe == g->me)
                reach(g, t, next, to, from, level);
            else
                mailbox_post(box, pe, (struct note){to, from, level});
        }
    }
}

int32_t search(const struct graph *g, struct mailbox *box, uint32_t root, const struct tree *t)
{
    struct frontier now = {need(malloc((size_t)(g->nlocal + 1) * sizeof(int64_t))), 0};
    struct frontier next = {need(malloc((size_t)(g->nlocal + 1) * sizeof(int64_t))), 0};
    for (int64_t v = 0; v < g->nlocal; v++)
        t->parent[v] = t->level[v] = NO_VERTEX;
    if (owner_of(g, root) == g->me)
        reach(g, t, &now, root, root, 0);
    int32_t level = 0;
    while (comm_sum(now.n) > 0) {
        level++;
        int64_t count;
        next.n = 0;
        expand(g, box, t, &now, &next, level);
        const struct note *note = mailbox_deliver(box, &count);
        for (int64_t i = 0; i < count; i++)
            reach(g, t, &next, note[i].to, note[i].from, level);
        struct frontier swap = now;
        now = next;
        next = swap;
    }
    free(next.vertex);
    free(now.vertex);
    return level;
}
