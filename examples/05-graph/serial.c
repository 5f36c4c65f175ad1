// SPDX-License-Identifier: BSD-3-Clause
//
// The same searches by one PE, to compare with (serial.h).
#include "serial.h"

#include <shmem.h>
#include <stdlib.h>
#include <string.h>

#include "reader.h"

enum { CHUNK = 4096 };

// One pass over the file: calls `handle` for each arc.
static int64_t each_arc(const char *path, void (*handle)(struct serial *, struct arc),
                        struct serial *s)
{
    struct arc *arcs = need_private(CHUNK, sizeof *arcs, "the serial check");
    struct reader reader;
    int64_t n = reader_open(&reader, path), total = 0;
    while (n >= 0 && (n = reader_next(&reader, arcs, CHUNK)) > 0) {
        total += n;
        for (int64_t i = 0; handle && i < n; i++)
            handle(s, arcs[i]);
    }
    if (n < 0)
        shmem_global_exit(EXIT_FAILURE);  // the reader has printed the reason
    s->nverts = reader.nverts;
    reader_close(&reader);
    free(arcs);
    return total;
}

static void count_arc(struct serial *s, struct arc arc)
{
    s->first[0][arc.from + 1]++;
    s->first[1][arc.to + 1]++;
}

// While arcs are placed, first[v + 1] is where the next arc of v goes.
static void place_arc(struct serial *s, struct arc arc)
{
    s->to[0][s->first[0][arc.from + 1]++] = arc.to;
    s->to[1][s->first[1][arc.to + 1]++] = arc.from;
}

void serial_read(struct serial *s, const char *path)
{
    memset(s, 0, sizeof *s);
    int64_t narcs = each_arc(path, NULL, s);
    for (int k = 0; k < 2; k++) {
        s->first[k] = need_private(s->nverts + 2, sizeof(int64_t), "the serial check");
        s->to[k] = need_private(narcs, sizeof(int64_t), "the serial check");
    }
    s->queue = need_private(s->nverts, sizeof(int64_t), "the serial check");
    s->level = need_private(s->nverts, sizeof(int64_t), "the serial check");

    each_arc(path, count_arc, s);
    for (int k = 0; k < 2; k++) {
        int64_t before = 0;
        for (int64_t v = 0; v < s->nverts; v++) {
            int64_t degree = s->first[k][v + 1];
            s->first[k][v + 1] = before;
            before += degree;
        }
    }
    each_arc(path, place_arc, s);
}

void serial_destroy(struct serial *s)
{
    for (int k = 0; k < 2; k++) {
        free(s->first[k]);
        free(s->to[k]);
    }
    free(s->queue);
    free(s->level);
}

// The textbook search with one queue.
static void serial_search(struct serial *s, int64_t root, enum direction d)
{
    for (int64_t v = 0; v < s->nverts; v++)
        s->level[v] = -1;
    int64_t head = 0, tail = 0;
    s->level[root] = 0;
    s->queue[tail++] = root;
    while (head < tail) {
        int64_t v = s->queue[head++];
        for (int k = 0; k < 2; k++) {
            if (!(d & (k == 0 ? ALONG : AGAINST)))
                continue;
            for (int64_t a = s->first[k][v]; a < s->first[k][v + 1]; a++)
                if (s->level[s->to[k][a]] < 0) {
                    s->level[s->to[k][a]] = s->level[v] + 1;
                    s->queue[tail++] = s->to[k][a];
                }
        }
    }
}

static int64_t find_set(int64_t *parent, int64_t v)
{
    while (parent[v] != v)
        v = parent[v] = parent[parent[v]];
    return v;
}

// Union and find; the lowest vertex of a set is its root.
static void serial_components(struct serial *s, int64_t *parent)
{
    for (int64_t v = 0; v < s->nverts; v++)
        parent[v] = v;
    for (int64_t v = 0; v < s->nverts; v++)
        for (int64_t a = s->first[0][v]; a < s->first[0][v + 1]; a++) {
            int64_t p = find_set(parent, v), q = find_set(parent, s->to[0][a]);
            if (p < q)
                parent[q] = p;
            else
                parent[p] = q;
        }
    for (int64_t v = 0; v < s->nverts; v++)
        parent[v] = find_set(parent, v);
}

// Gets a distributed vector PE by PE and compares it.
static int64_t count_differences(const struct graph *g, const int64_t *distributed,
                                 const int64_t *expected)
{
    int64_t *part = need_private(g->max_local, sizeof *part, "the serial check");
    int64_t differences = 0;
    for (int pe = 0; pe < g->npes; pe++) {
        int64_t n = nlocal_of(g, pe);
        shmem_getmem(part, distributed, (size_t)n * sizeof *part, pe);
        for (int64_t i = 0; i < n; i++)
            differences += part[i] != expected[vertex_of(g, i, pe)];
    }
    free(part);
    return differences;
}

int64_t serial_check_search(struct serial *s, const struct graph *g, const struct search *d)
{
    serial_search(s, d->root, d->direction);
    return count_differences(g, d->level, s->level);
}

int64_t serial_check_components(struct serial *s, const struct graph *g, const struct components *c)
{
    int64_t *parent = need_private(s->nverts, sizeof *parent, "the serial check");
    serial_components(s, parent);
    int64_t differences = count_differences(g, c->label, parent);
    free(parent);
    return differences;
}
