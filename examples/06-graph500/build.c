// SPDX-License-Identifier: BSD-3-Clause
//
// From a list of edges to rows of neighbours. Each PE generates a share of the edges and sends both
// ends' entries to their owners: the entries are counted first, so that every PE knows how many it
// receives and where its own go, then put.
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "comm.h"
#include "graph.h"
#include "kronecker.h"

enum { CHUNK = 1024 };

struct entry {
    uint32_t at, neighbour;
};

void *need(void *memory)
{
    if (!memory) {
        fprintf(stderr,
                "graph500: PE %d: out of memory; a larger SHMEM_SYMMETRIC_SIZE or a smaller "
                "--scale helps\n",
                shmem_my_pe());
        shmem_global_exit(EXIT_FAILURE);
    }
    return memory;
}

static struct edge my_edge(const struct graph *g, int64_t i)
{
    return kronecker((uint64_t)(i * g->npes + g->me), g->scale, g->seed);
}

static int64_t my_edges(const struct graph *g)
{
    return (g->nedges - g->me + g->npes - 1) / g->npes;
}

// Entries for one PE that have not been put yet, and where they go.
struct outgoing {
    struct entry entry[CHUNK];
    size_t n;
    int64_t next;
};

static void put_entries(struct outgoing *o, struct entry *inbox, int pe)
{
    shmem_putmem(inbox + o->next, o->entry, o->n * sizeof *o->entry, pe);
    o->next += (int64_t)o->n;
    o->n = 0;
}

static void give(const struct graph *g, struct outgoing *out, struct entry *inbox, uint32_t at,
                 uint32_t neighbour)
{
    int pe = owner_of(g, at);
    struct outgoing *o = &out[pe];
    o->entry[o->n++] = (struct entry){at, neighbour};
    if (o->n == CHUNK)
        put_entries(o, inbox, pe);
}

static void send_edges(const struct graph *g, struct outgoing *out, struct entry *inbox)
{
    for (int64_t i = 0; i < my_edges(g); i++) {
        struct edge e = my_edge(g, i);
        if (e.a == e.b)
            continue;
        give(g, out, inbox, e.a, e.b);
        give(g, out, inbox, e.b, e.a);
    }
    for (int pe = 0; pe < g->npes; pe++)
        put_entries(&out[pe], inbox, pe);
}

// Exchanges counts: each PE learns how many entries it gets from every other and replies where they
// begin. Returns how many this PE gets.
static int64_t agree_on_places(const struct graph *g, struct outgoing *out)
{
    int64_t *count = need(calloc((size_t)g->npes, sizeof *count)),
            *coming = need(malloc((size_t)g->npes * sizeof *coming));
    for (int64_t i = 0; i < my_edges(g); i++) {
        struct edge e = my_edge(g, i);
        count[owner_of(g, e.a)] += e.a != e.b;
        count[owner_of(g, e.b)] += e.a != e.b;
    }
    comm_alltoall(coming, count);
    int64_t total = 0;
    for (int pe = 0; pe < g->npes; pe++) {
        count[pe] = total;
        total += coming[pe];
    }
    comm_alltoall(coming, count);
    for (int pe = 0; pe < g->npes; pe++)
        out[pe].next = coming[pe];
    free(coming);
    free(count);
    return total;
}

// A counting sort by vertex.
static void make_rows(struct graph *g, const struct entry *inbox, int64_t n)
{
    g->begin = need(calloc((size_t)g->nlocal + 2, sizeof *g->begin));
    g->neighbour = need(malloc(((size_t)n + 1) * sizeof *g->neighbour));
    int64_t *at = g->begin + 1;  // moves from a row's beginning to its end,
                                 // where the next row begins
    for (int64_t i = 0; i < n; i++)
        if (local_of(g, inbox[i].at) + 1 <= g->nlocal)
            at[local_of(g, inbox[i].at) + 1]++;
    for (int64_t v = 0; v < g->nlocal; v++)
        at[v + 1] += at[v];
    for (int64_t i = 0; i < n; i++)
        g->neighbour[at[local_of(g, inbox[i].at)]++] = inbox[i].neighbour;
}

void graph_build(struct graph *g, int scale, int64_t edge_factor, uint64_t seed)
{
    *g = (struct graph){.scale = scale, .me = shmem_my_pe(), .npes = shmem_n_pes(), .seed = seed};
    g->nverts = INT64_C(1) << scale;
    g->nedges = edge_factor << scale;
    g->nlocal = (g->nverts - g->me + g->npes - 1) / g->npes;
    struct outgoing *out = need(calloc((size_t)g->npes, sizeof *out));
    int64_t mine = agree_on_places(g, out), most = comm_max(mine);
    struct entry *inbox = need(shmem_malloc((size_t)(most + 1) * sizeof *inbox));
    send_edges(g, out, inbox);
    comm_barrier();
    make_rows(g, inbox, mine);
    free(out);
    shmem_free(inbox);
}

void graph_free(struct graph *g)
{
    free(g->neighbour);
    free(g->begin);
}
