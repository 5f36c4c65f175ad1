// SPDX-License-Identifier: BSD-3-Clause
//
// causeway-info --topology: the figures of virtual topologies (core/route), and a drawing in text.
#include "info_topology.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/env.h"
#include "core/route/topology.h"

enum {
    DRAWN_COLUMNS = 90,  // characters
    DRAWN_ROWS = 32,
    MOST_PES = 1 << 16  // of a node
};

typedef struct question {
    uint32_t nnodes, npes;
    const char *name;  // NULL: all
} question_t;

static bool number(const char **text_p, uint32_t most, uint32_t *n_p)
{
    if (**text_p < '0' || **text_p > '9')
        return false;
    char *end;
    unsigned long n = strtoul(*text_p, &end, 10);
    *text_p = end;
    *n_p = (uint32_t)n;
    return n >= 1 && n <= most;
}

static bool parse(const char *text, question_t *q)
{
    *q = (question_t){.npes = 1};
    if (!number(&text, CW_TOPOLOGY_NODES, &q->nnodes))
        return false;
    if (*text == ',' && (text++, !number(&text, MOST_PES, &q->npes)))
        return false;
    if (*text == ':')
        q->name = text + 1;
    return q->name || *text == '\0';
}

static uint32_t count(void)
{
    return (uint32_t)cwu_env.edge_buffers;
}

static uint64_t buffers(const cw_topology_t *t, const question_t *q)
{
    return cw_topology_buffers(t, 0, q->npes, cwu_env.edge_buffer, count());
}

static double mebibytes(uint64_t nbytes)
{
    return (double)nbytes / (1 << 20);
}

static const char *extents(const cw_topology_t *t, char text[256])
{
    size_t used = 0;
    text[0] = '\0';
    for (uint32_t d = 0; d < t->ndims && used < 240; d++)
        used += (size_t)snprintf(text + used, 256 - used, "%s%u", d ? "x" : "", t->extent[d]);
    return text;
}

// ---------------------------------------------------------------- the table
static void print_row(const question_t *q, const char *name, uint64_t fcg_nbytes)
{
    cw_topology_t t;
    cw_topology_figures_t f;
    char why[200], shape[256];
    if (!cw_topology_named(&t, name, q->nnodes, why, sizeof why))
        return;  // these names serve any number of nodes
    cw_topology_figures(&t, &f);
    uint64_t nbytes = buffers(&t, q);
    extents(&t, shape);
    if (strcmp(name, "hypercube") == 0)
        snprintf(shape, sizeof shape, "2^%u", t.ndims);
    printf("%-10s %-12s %14llu %8u %8u %10.2f %14.4f", name, shape, (unsigned long long)f.nedges,
           f.most_degree, f.most_hops, f.mean_hops, mebibytes(nbytes));
    if (nbytes)
        printf(" %9.1f", (double)fcg_nbytes / (double)nbytes);
    putchar('\n');
}

static void print_table(const question_t *q)
{
    cw_topology_t fcg;
    char why[200];
    if (!cw_topology_named(&fcg, "fcg", q->nnodes, why, sizeof why))
        return;
    uint64_t n = q->nnodes;
    printf("%u node%s of %u PE%s. Buffers by formula, at node 0: degree x %u x %u of %g KiB.\n"
           "A job takes one by CAUSEWAY_TOPOLOGY; by default it is \"direct\", and has no such "
           "buffers. \"auto\": %s.\n\n",
           q->nnodes, n > 1 ? "s" : "", q->npes, q->npes > 1 ? "s" : "", q->npes, count(),
           (double)cwu_env.edge_buffer / 1024, cw_topology_auto(q->nnodes, q->nnodes * q->npes));
    printf("%-10s %-12s %14s %8s %8s %10s %14s %9s\n", "topology", "extents", "edges", "degree",
           "longest", "mean hops", "buffers, MiB", "fcg / it");
    printf("%-10s %-12s %14llu %8llu %8d %10.2f %14s\n", "direct", "-",
           (unsigned long long)(n * (n - 1) / 2), (unsigned long long)(n - 1), n > 1,
           n > 1 ? 1.0 : 0.0, "-");
    static const char *const names[] = {"fcg", "mfcg", "cfcg", "hypercube"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        print_row(q, names[i], buffers(&fcg, q));
}

// ---------------------------------------------------------------- one topology
/** A route of f->most_hops: from the first node that has left 0 in the highest dimension in use. */
static void print_longest(const cw_topology_t *t, const cw_topology_figures_t *f)
{
    uint32_t from = 0, to = 0;
    for (uint32_t d = 0; d < t->ndims && t->stride[d] < t->nnodes; d++)
        if (t->extent[d] > 1) {
            to += from;
            from = t->stride[d];
        }
    printf("  longest route   %u hop%s", f->most_hops, f->most_hops == 1 ? "" : "s");
    if (from != to)
        printf(": %u", from);
    while (from != to) {
        from = cw_route_next(t, from, to);
        printf(" -> %u", from);
    }
    putchar('\n');
}

static void print_figures(const cw_topology_t *t, const question_t *q)
{
    cw_topology_figures_t f;
    char shape[256];
    cw_topology_figures(t, &f);
    printf("%s: %u node%s of %u PE%s, extents %s (lowest dimension first)\n", q->name, t->nnodes,
           t->nnodes > 1 ? "s" : "", q->npes, q->npes > 1 ? "s" : "", extents(t, shape));
    printf("  edges           %llu\n", (unsigned long long)f.nedges);
    printf("  degree          %u to %u\n", f.least_degree, f.most_degree);
    print_longest(t, &f);
    printf("  mean route      %.2f hops\n", f.mean_hops);
    printf("  buffers, node 0 %u edges x %u x %u of %g KiB = %llu bytes (%.4f MiB)\n",
           f.most_degree, q->npes, count(), (double)cwu_env.edge_buffer / 1024,
           (unsigned long long)buffers(t, q), mebibytes(buffers(t, q)));
    printf("  fcg             %llu bytes, by the same formula\n",
           (unsigned long long)(t->nnodes - 1) * q->npes * cwu_env.edge_buffer * count());
}

// ---------------------------------------------------------------- the drawing
/** Lower dimensions run along the rows of the drawing, the higher half down its columns. */
typedef struct drawing {
    uint32_t across;   // dimensions along a row
    uint64_t nacross;  // nodes of a full row
    uint32_t shown;    // of these
    int digits;
} drawing_t;

static drawing_t plan(const cw_topology_t *t)
{
    drawing_t g = {.across = t->ndims > 1 ? t->ndims / 2 : 1, .nacross = 1};
    for (uint32_t d = 0; d < g.across; d++)
        g.nacross *= t->extent[d];
    g.digits = snprintf(NULL, 0, "%u", t->nnodes - 1);
    uint32_t fit = (uint32_t)(DRAWN_COLUMNS / (g.digits + 3));
    g.shown = g.nacross < fit ? (uint32_t)g.nacross : fit;
    return g;
}

static void draw_row(const cw_topology_t *t, const drawing_t *g, uint32_t first)
{
    putchar(' ');
    for (uint32_t i = 0; i < g->shown && first + i < t->nnodes; i++) {
        uint32_t node = first + i;
        if (i > 0 && g->across > 1 && i % t->extent[0] == 0)
            fputs("  ", stdout);
        char left = node == 0 ? '[' : ' ', right = node == 0 ? ']' : ' ';
        if (node > 0 && cw_route_hops(t, 0, node) == 1)
            right = '*';
        printf(" %c%*u%c", left, g->digits, node, right);
    }
    uint64_t end = first + g->nacross < t->nnodes ? first + g->nacross : t->nnodes;
    if (first + g->shown < end)
        printf(" ... %llu", (unsigned long long)end - 1);
    putchar('\n');
}

static void draw(const cw_topology_t *t)
{
    drawing_t g = plan(t);
    puts("\nNodes by coordinates, lower dimensions across; * marks the neighbours of node 0:\n");
    uint64_t row = 0;
    for (uint64_t first = 0; first < t->nnodes; first += g.nacross, row++) {
        if (row == DRAWN_ROWS) {
            puts("  ...");
            break;
        }
        if (row > 0 && g.across + 1 < t->ndims && row % t->extent[g.across] == 0)
            putchar('\n');
        draw_row(t, &g, (uint32_t)first);
    }
}

int info_topology(const char *text)
{
    question_t q;
    cw_topology_t t;
    char why[200];
    cwu_env_load();
    if (!parse(text, &q)) {
        fprintf(stderr,
                "causeway-info: --topology takes NODES[,PES][:NAME] (1 to %d nodes of 1 to %d PEs),"
                " not \"%s\"\n",
                CW_TOPOLOGY_NODES, MOST_PES, text);
        return 2;
    }
    if (!q.name) {
        print_table(&q);
        return 0;
    }
    if (!cw_topology_named(&t, q.name, q.nnodes, why, sizeof why)) {
        fprintf(stderr,
                "causeway-info: --topology %s: %s; give fcg, mfcg, cfcg, hypercube, or extents "
                "such as 4x3x2\n",
                q.name, why);
        return 2;
    }
    print_figures(&t, &q);
    draw(&t);
    return 0;
}
