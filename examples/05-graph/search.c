// SPDX-License-Identifier: BSD-3-Clause
//
// Breadth-first search, level by level. A PE that finds arcs to vertices of another PE sets their
// bits in a bitmap of the owner by atomic or, which needs no reply; after a barrier the owner takes
// the bits of vertices that it had not reached as the next frontier.
#include "graph.h"

#include <shmem.h>
#include <stdlib.h>
#include <string.h>

struct frontier {
    int64_t nwords;
    uint64_t *found[2];  // symmetric: bits of this PE's vertices, set by other PEs at
                         // even and at odd levels
    uint64_t *mine;      // bits of this PE's vertices, set by itself
    uint64_t *reached;   // bits of the ghosts that were reached from here
    uint64_t *notified;  // those of them whose owner has been notified: once is enough
    int64_t *vertices;   // the current frontier, local numbers
    int64_t n;
};

static void set_bit(uint64_t *bits, int64_t k)
{
    bits[k / 64] |= UINT64_C(1) << k % 64;
}

static void frontier_create(const struct graph *g, struct frontier *f)
{
    f->nwords = (g->max_local + 63) / 64;
    f->found[0] = need_symmetric(f->nwords, sizeof(uint64_t), "a bitmap");
    f->found[1] = need_symmetric(f->nwords, sizeof(uint64_t), "a bitmap");
    f->mine = need_private(f->nwords, sizeof(uint64_t), "a bitmap");
    f->reached = need_private((g->nghosts + 63) / 64, sizeof(uint64_t), "a bitmap");
    f->notified = need_private((g->nghosts + 63) / 64, sizeof(uint64_t), "a bitmap");
    f->vertices = need_private(g->nlocal, sizeof *f->vertices, "a frontier");
    f->n = 0;
}

static void frontier_destroy(struct frontier *f)
{
    free(f->vertices);
    free(f->notified);
    free(f->reached);
    free(f->mine);
    shmem_free(f->found[1]);
    shmem_free(f->found[0]);
}

// Follows the arcs of the frontier. Returns their number.
static int64_t expand(const struct graph *g, struct search *s, struct frontier *f,
                      const struct rows *rows)
{
    int64_t scanned = 0;
    for (int64_t k = 0; k < f->n; k++) {
        int64_t v = f->vertices[k];
        scanned += rows->first[v + 1] - rows->first[v];
        for (int64_t a = rows->first[v]; a < rows->first[v + 1]; a++) {
            int64_t to = rows->to[a];
            if (to >= g->max_local)
                set_bit(f->reached, to - g->max_local);
            else if (s->level[to] < 0)
                set_bit(f->mine, to);
        }
    }
    return scanned;
}

// Notifies the owners of their vertices that were reached from here for the first time. Ghosts are
// sorted by owner and number, so the bits that go into one word are consecutive and travel
// together.
static void tell_owners(const struct graph *g, struct frontier *f, uint64_t *found)
{
    uint64_t bits = 0;
    int64_t word = 0;
    int pe = 0;
    for (int64_t w = 0; w <= g->nghosts / 64; w++) {
        uint64_t news = f->reached[w] & ~f->notified[w];
        f->notified[w] |= news;
        for (; news; news &= news - 1) {
            int64_t v = g->ghosts[64 * w + __builtin_ctzll(news)];
            if (bits && (owner_of(g, v) != pe || local_of(g, v) / 64 != word)) {
                shmem_uint64_atomic_or(&found[word], bits, pe);
                bits = 0;
            }
            pe = owner_of(g, v);
            word = local_of(g, v) / 64;
            bits |= UINT64_C(1) << local_of(g, v) % 64;
        }
    }
    if (bits)
        shmem_uint64_atomic_or(&found[word], bits, pe);
}

// Takes what this PE and others found at this level, and clears the bitmaps for the level after the
// next.
static void advance(struct search *s, struct frontier *f, uint64_t *found, int64_t level)
{
    f->n = 0;
    for (int64_t w = 0; w < f->nwords; w++) {
        uint64_t bits = found[w] | f->mine[w];
        found[w] = f->mine[w] = 0;
        for (; bits; bits &= bits - 1) {
            int64_t v = 64 * w + __builtin_ctzll(bits);
            if (s->level[v] < 0) {
                s->level[v] = level;
                f->vertices[f->n++] = v;
            }
        }
    }
}

static int64_t find_deepest(const struct graph *g, const struct search *s)
{
    for (int64_t v = 0; v < g->nlocal; v++)
        if (s->level[v] == s->depth)
            return min_over_pes(vertex_of(g, v, g->me));
    return min_over_pes(g->nverts);
}

void search_run(const struct graph *g, struct search *s, int64_t root, enum direction d)
{
    struct frontier f;
    frontier_create(g, &f);
    if (!s->level)
        s->level = need_symmetric(g->max_local, sizeof *s->level, "levels");
    for (int64_t v = 0; v < g->max_local; v++)
        s->level[v] = -1;
    s->root = root;
    s->direction = d;
    s->reached = 1;
    s->depth = 0;
    if (owner_of(g, root) == g->me) {
        s->level[local_of(g, root)] = 0;
        f.vertices[f.n++] = local_of(g, root);
    }

    // Two bitmaps in turn: while this PE clears one, a faster PE may already set bits of the next
    // level, in the other; it cannot be two levels ahead, since the barrier is between.
    int64_t scanned = 0;
    for (int64_t level = 1, found_now = 1; found_now; level++) {
        uint64_t *found = f.found[level & 1];
        if (d & ALONG)
            scanned += expand(g, s, &f, &g->out);
        if (d & AGAINST)
            scanned += expand(g, s, &f, &g->in);
        tell_owners(g, &f, found);
        shmem_barrier_all();  // all bits are set
        advance(s, &f, found, level);
        found_now = sum_over_pes(f.n);
        s->reached += found_now;
        s->depth = found_now ? level : s->depth;
    }
    s->scanned = sum_over_pes(scanned);
    s->deepest = find_deepest(g, s);
    frontier_destroy(&f);
}

void search_destroy(struct search *s)
{
    shmem_free(s->level);
    s->level = NULL;
}

// The vertex that a position in the tables of PE `pe` stands for.
static int64_t resolve(const struct graph *g, int64_t position, int pe)
{
    if (position < g->max_local)
        return vertex_of(g, position, pe);
    return shmem_int64_g(&g->ghosts[position - g->max_local], pe);
}

// A neighbour of v that is one level nearer to the root, found against the direction of the search.
static int64_t nearer(const struct graph *g, const struct search *s, int64_t v, int64_t level)
{
    int pe = owner_of(g, v);
    for (int one = ALONG; one <= AGAINST; one++) {
        if (!(s->direction & (BOTH ^ one)) && s->direction != BOTH)
            continue;
        const struct rows *rows = rows_of(g, (enum direction)one);
        int64_t bounds[2];
        shmem_getmem(bounds, &rows->first[local_of(g, v)], sizeof bounds, pe);
        for (int64_t a = bounds[0]; a < bounds[1]; a++) {
            int64_t u = resolve(g, shmem_int64_g(&rows->to[a], pe), pe);
            if (shmem_int64_g(&s->level[local_of(g, u)], owner_of(g, u)) == level - 1)
                return u;
        }
    }
    return -1;
}

int64_t search_path(const struct graph *g, const struct search *s, int64_t v, int64_t *path)
{
    int64_t level = shmem_int64_g(&s->level[local_of(g, v)], owner_of(g, v));
    for (int64_t k = level; k >= 0 && v >= 0; k--) {
        path[k] = v;
        v = k ? nearer(g, s, v, k) : -1;
    }
    return level + 1;
}
