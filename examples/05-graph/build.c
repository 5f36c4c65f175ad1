// SPDX-License-Identifier: BSD-3-Clause
//
// From a file to a distributed graph: PE 0 reads and broadcasts the arcs in chunks, each PE keeps
// those that touch its vertices, then turns them into rows.
#include "graph.h"
#include "reader.h"

#include <inttypes.h>
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK_ARCS = 8192 };

// What PE 0 broadcasts. The last chunk has no arcs.
struct chunk {
    int64_t narcs;  // -1: PE 0 has printed an error
    int64_t nverts;
    int64_t base;
    struct arc arcs[CHUNK_ARCS];
};

static struct chunk made, received;  // symmetric
static int64_t my_value, all_value;  // symmetric

// Arcs of this PE's vertices: `from` is the local number of the vertex, `to` the other end.
struct arc_list {
    struct arc *arcs;
    int64_t n, room;
};

// No PE may still read the last result when the next arrives: hence the synchronisation.
#define DEFINE_REDUCTION(op)                                                   \
    int64_t op##_over_pes(int64_t value)                                       \
    {                                                                          \
        my_value = value;                                                      \
        shmem_sync_all();                                                      \
        shmem_int64_##op##_reduce(SHMEM_TEAM_WORLD, &all_value, &my_value, 1); \
        return all_value;                                                      \
    }
DEFINE_REDUCTION(sum)
DEFINE_REDUCTION(max)
DEFINE_REDUCTION(min)

static void *checked(void *p, int64_t nelems, int64_t nbytes_each, const char *what,
                     const char *hint)
{
    if (!p) {
        fprintf(stderr, "graph: PE %d: no memory for %s (%" PRId64 " MiB)%s\n", shmem_my_pe(), what,
                (nelems * nbytes_each >> 20) + 1, hint);
        shmem_global_exit(EXIT_FAILURE);
    }
    return p;
}

void *need_symmetric(int64_t nelems, int64_t nbytes_each, const char *what)
{
    void *p = shmem_calloc((size_t)nelems + 1, (size_t)nbytes_each);
    return checked(p, nelems, nbytes_each, what, ": raise SHMEM_SYMMETRIC_SIZE");
}

void *need_private(int64_t nelems, int64_t nbytes_each, const char *what)
{
    return checked(calloc((size_t)nelems + 1, (size_t)nbytes_each), nelems, nbytes_each, what, "");
}

static void keep(struct arc_list *list, int64_t mine, int64_t other)
{
    if (list->n == list->room) {
        list->room = list->room ? 2 * list->room : CHUNK_ARCS;
        void *larger = realloc(list->arcs, (size_t)list->room * sizeof *list->arcs);
        list->arcs = checked(larger, list->room, sizeof *list->arcs, "arcs", "");
    }
    list->arcs[list->n++] = (struct arc){mine, other};
}

// Every PE receives every arc once and keeps two lists: arcs that leave its vertices and arcs that
// lead to them.
static void receive_arcs(struct graph *g, const char *path, struct arc_list *out,
                         struct arc_list *in)
{
    struct reader reader;
    int failed = g->me == 0 && reader_open(&reader, path) != 0;
    do {
        if (g->me == 0) {
            made.narcs = failed ? -1 : reader_next(&reader, made.arcs, CHUNK_ARCS);
            made.nverts = failed ? 0 : reader.nverts;
            made.base = !failed && reader.is_market;
        }
        shmem_sync_all();  // all PEs are done with the last chunk
        shmem_broadcastmem(SHMEM_TEAM_WORLD, &received, &made, sizeof made, 0);
        if (received.narcs < 0)
            shmem_global_exit(EXIT_FAILURE);
        for (int64_t i = 0; i < received.narcs; i++) {
            int64_t from = received.arcs[i].from, to = received.arcs[i].to;
            if (owner_of(g, from) == g->me)
                keep(out, local_of(g, from), to);
            if (owner_of(g, to) == g->me)
                keep(in, local_of(g, to), from);
        }
        g->narcs += received.narcs;
    } while (received.narcs > 0);
    g->nverts = received.nverts;
    g->base = (int)received.base;
    if (g->me == 0)
        reader_close(&reader);
}

// A number whose order is that of the ghosts: by owner, then by vertex.
static int64_t ghost_key(const struct graph *g, int64_t v)
{
    return owner_of(g, v) * g->max_local + local_of(g, v);
}

static int compare_i64(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

// The sorted, distinct keys of the far ends that belong to other PEs.
static int64_t *collect_ghosts(const struct graph *g, const struct arc_list *lists, int64_t *n_p)
{
    int64_t *keys = need_private(lists[0].n + lists[1].n, sizeof *keys, "ghosts");
    int64_t n = 0, distinct = 0;
    for (int k = 0; k < 2; k++)
        for (int64_t i = 0; i < lists[k].n; i++)
            if (owner_of(g, lists[k].arcs[i].to) != g->me)
                keys[n++] = ghost_key(g, lists[k].arcs[i].to);
    qsort(keys, (size_t)n, sizeof *keys, compare_i64);
    for (int64_t i = 0; i < n; i++)
        if (i == 0 || keys[i] != keys[i - 1])
            keys[distinct++] = keys[i];
    *n_p = distinct;
    return keys;
}

static int64_t position_of(const struct graph *g, const int64_t *keys, int64_t v)
{
    if (owner_of(g, v) == g->me)
        return local_of(g, v);
    int64_t key = ghost_key(g, v);
    int64_t *found = bsearch(&key, keys, (size_t)g->nghosts, sizeof *keys, compare_i64);
    return g->max_local + (found - keys);
}

// Rows by counting: arcs of one vertex stay in the order of the file.
static void make_rows(const struct graph *g, struct rows *rows, struct arc_list *list,
                      const int64_t *keys)
{
    rows->first = need_symmetric(g->max_local + 1, sizeof *rows->first, "rows");
    rows->to = need_symmetric(max_over_pes(list->n), sizeof *rows->to, "arcs");
    int64_t *next = need_private(g->nlocal, sizeof *next, "rows");
    for (int64_t i = 0; i < list->n; i++)
        rows->first[list->arcs[i].from + 1]++;
    for (int64_t i = 0; i < g->nlocal; i++) {
        rows->first[i + 1] += rows->first[i];
        next[i] = rows->first[i];
    }
    for (int64_t i = 0; i < list->n; i++)
        rows->to[next[list->arcs[i].from]++] = position_of(g, keys, list->arcs[i].to);
    free(next);
    free(list->arcs);
}

static void make_ghosts(struct graph *g, const int64_t *keys)
{
    g->ghosts = need_symmetric(max_over_pes(g->nghosts), sizeof *g->ghosts, "ghosts");
    g->ghost_first = need_private(g->npes + 1, sizeof *g->ghost_first, "ghosts");
    for (int64_t i = 0; i < g->nghosts; i++) {
        int pe = (int)(keys[i] / g->max_local);
        g->ghosts[i] = vertex_of(g, keys[i] % g->max_local, pe);
        g->ghost_first[pe + 1]++;
    }
    for (int pe = 0; pe < g->npes; pe++)
        g->ghost_first[pe + 1] += g->ghost_first[pe];
}

void graph_read(struct graph *g, const char *path)
{
    memset(g, 0, sizeof *g);
    g->me = shmem_my_pe();
    g->npes = shmem_n_pes();
    struct arc_list lists[2] = {{NULL, 0, 0}, {NULL, 0, 0}};
    receive_arcs(g, path, &lists[0], &lists[1]);
    if (g->nverts == 0) {
        if (g->me == 0)
            fprintf(stderr, "graph: %s: a graph without vertices\n", path);
        shmem_global_exit(EXIT_FAILURE);
    }
    g->nlocal = nlocal_of(g, g->me);
    g->max_local = nlocal_of(g, 0);

    int64_t *keys = collect_ghosts(g, lists, &g->nghosts);
    make_ghosts(g, keys);
    make_rows(g, &g->out, &lists[0], keys);
    make_rows(g, &g->in, &lists[1], keys);
    free(keys);
    shmem_barrier_all();  // from here on, any PE may read the rows and ghosts of any other
}

void graph_destroy(struct graph *g)
{
    shmem_free(g->in.to);
    shmem_free(g->in.first);
    shmem_free(g->out.to);
    shmem_free(g->out.first);
    shmem_free(g->ghosts);
    free(g->ghost_first);
}

int64_t graph_degree(const struct graph *g, int64_t v, enum direction d)
{
    int64_t degree = 0;
    for (int one = ALONG; one <= AGAINST; one++)
        if (d & one) {
            int64_t bounds[2];
            shmem_getmem(bounds, &rows_of(g, (enum direction)one)->first[local_of(g, v)],
                         sizeof bounds, owner_of(g, v));
            degree += bounds[1] - bounds[0];
        }
    return degree;
}
