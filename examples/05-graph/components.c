// SPDX-License-Identifier: BSD-3-Clause
//
// Connected components by the spread of labels: every vertex begins with its own number and takes
// the lowest label around it. In each round the owners put the labels of their vertices into the
// ghost tables of the PEs that need them, one put for each pair of PEs.
#include "graph.h"

#include <shmem.h>
#include <stdlib.h>
#include <string.h>

// The vertices whose labels one PE needs, and where in its table it expects them.
struct wish {
    int64_t count, at;
};

struct exchange {
    struct wish *wanted, *asked;  // symmetric: [npes], by this PE of others, by others of this PE
    int64_t **lists;              // [npes]: the local numbers that PE p asked for
    int64_t *ghost_labels[2];     // symmetric: labels of the ghosts, in even and in odd rounds
    int64_t *packed;
};

// Each owner gets, once, the lists of the PEs that need its labels.
static void exchange_create(const struct graph *g, struct exchange *x)
{
    x->wanted = need_symmetric(g->npes, sizeof *x->wanted, "ghost lists");
    x->asked = need_symmetric(g->npes, sizeof *x->asked, "ghost lists");
    for (int pe = 0; pe < g->npes; pe++)
        x->wanted[pe] =
            (struct wish){g->ghost_first[pe + 1] - g->ghost_first[pe], g->ghost_first[pe]};
    shmem_alltoallmem(SHMEM_TEAM_WORLD, x->asked, x->wanted, sizeof *x->asked);

    int64_t longest = 0;
    x->lists = need_private(g->npes, sizeof *x->lists, "ghost lists");
    for (int pe = 0; pe < g->npes; pe++) {
        int64_t n = x->asked[pe].count;
        x->lists[pe] = need_private(n, sizeof **x->lists, "ghost lists");
        shmem_getmem_nbi(x->lists[pe], g->ghosts + x->asked[pe].at, (size_t)n * sizeof **x->lists,
                         pe);
        longest = n > longest ? n : longest;
    }
    shmem_quiet();
    for (int pe = 0; pe < g->npes; pe++)
        for (int64_t i = 0; i < x->asked[pe].count; i++)
            x->lists[pe][i] = local_of(g, x->lists[pe][i]);

    int64_t most_ghosts = max_over_pes(g->nghosts);
    x->ghost_labels[0] = need_symmetric(most_ghosts, sizeof(int64_t), "ghost labels");
    x->ghost_labels[1] = need_symmetric(most_ghosts, sizeof(int64_t), "ghost labels");
    x->packed = need_private(longest, sizeof *x->packed, "ghost labels");
}

static void exchange_destroy(const struct graph *g, struct exchange *x)
{
    free(x->packed);
    shmem_free(x->ghost_labels[1]);
    shmem_free(x->ghost_labels[0]);
    for (int pe = 0; pe < g->npes; pe++)
        free(x->lists[pe]);
    free(x->lists);
    shmem_free(x->asked);
    shmem_free(x->wanted);
}

static void send_labels(const struct graph *g, struct exchange *x, const int64_t *label,
                        int64_t *ghost_labels)
{
    for (int k = 1; k < g->npes; k++) {
        int pe = (g->me + k) % g->npes;  // every PE begins with another target
        int64_t n = x->asked[pe].count;
        if (n == 0)
            continue;
        for (int64_t i = 0; i < n; i++)
            x->packed[i] = label[x->lists[pe][i]];
        shmem_putmem(ghost_labels + x->asked[pe].at, x->packed, (size_t)n * sizeof *label, pe);
    }
    shmem_barrier_all();  // all labels have arrived
}

// The lowest label around one vertex.
static int64_t lowest_around(const struct graph *g, const struct rows *rows, int64_t v,
                             const int64_t *label, const int64_t *ghost_labels, int64_t low)
{
    for (int64_t a = rows->first[v]; a < rows->first[v + 1]; a++) {
        int64_t to = rows->to[a];
        int64_t other = to < g->max_local ? label[to] : ghost_labels[to - g->max_local];
        low = other < low ? other : low;
    }
    return low;
}

// Spreads labels among this PE's vertices until none changes. Returns how many changed.
static int64_t settle(const struct graph *g, int64_t *label, const int64_t *ghost_labels,
                      int64_t *scanned)
{
    int64_t changes = 0, before;
    do {
        before = changes;
        for (int64_t v = 0; v < g->nlocal; v++) {
            int64_t low = lowest_around(g, &g->out, v, label, ghost_labels, label[v]);
            low = lowest_around(g, &g->in, v, label, ghost_labels, low);
            changes += low != label[v];
            label[v] = low;
        }
        *scanned += g->out.first[g->nlocal] + g->in.first[g->nlocal];
    } while (changes != before);
    return changes;
}

static int compare_i64(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

// Counts the vertices of each component at the owner of its label: one atomic addition for each
// label that a PE has, not for each vertex, since most vertices may have the same label.
static void measure(const struct graph *g, struct components *c)
{
    int64_t *size = need_symmetric(g->max_local, sizeof *size, "component sizes");
    int64_t *sorted = need_private(g->nlocal, sizeof *sorted, "component sizes");
    memcpy(sorted, c->label, (size_t)g->nlocal * sizeof *sorted);
    qsort(sorted, (size_t)g->nlocal, sizeof *sorted, compare_i64);
    for (int64_t i = 0, end; i < g->nlocal; i = end) {
        for (end = i; end < g->nlocal && sorted[end] == sorted[i];)
            end++;
        shmem_int64_atomic_add(&size[local_of(g, sorted[i])], end - i, owner_of(g, sorted[i]));
    }
    shmem_barrier_all();  // all counts have arrived

    int64_t count = 0, largest = 0;
    for (int64_t v = 0; v < g->nlocal; v++) {
        count += size[v] > 0;
        largest = size[v] > largest ? size[v] : largest;
    }
    c->count = sum_over_pes(count);
    c->largest = max_over_pes(largest);
    free(sorted);
    shmem_free(size);
}

void components_run(const struct graph *g, struct components *c)
{
    struct exchange x;
    memset(c, 0, sizeof *c);
    c->label = need_symmetric(g->max_local, sizeof *c->label, "labels");
    for (int64_t v = 0; v < g->nlocal; v++)
        c->label[v] = vertex_of(g, v, g->me);
    exchange_create(g, &x);

    // Two tables in turn: the labels of a PE that is a round ahead overwrite nothing in use.
    int64_t scanned = 0, changes;
    do {
        int64_t *ghost_labels = x.ghost_labels[c->rounds & 1];
        send_labels(g, &x, c->label, ghost_labels);
        changes = sum_over_pes(settle(g, c->label, ghost_labels, &scanned));
        c->rounds++;
    } while (changes);
    c->scanned = sum_over_pes(scanned);
    exchange_destroy(g, &x);
    measure(g, c);
}

void components_destroy(struct components *c)
{
    shmem_free(c->label);
}
