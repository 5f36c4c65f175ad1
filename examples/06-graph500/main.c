// SPDX-License-Identifier: BSD-3-Clause
//
// Breadth-first search in the style of Graph500: a Kronecker graph, searches from several roots,
// validation of each, and traversed edges per second.
#define _GNU_SOURCE  // getopt_long
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <math.h>
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "comm.h"
#include "graph.h"
#include "kronecker.h"

struct options {
    int64_t scale, edge_factor, nroots, seed, spoil;
};

static double now_seconds(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (double)ts.tv_sec + 1e-9 * (double)ts.tv_nsec;
}

static void usage(FILE *out)
{
    fprintf(out,
            "Usage: graph500 [options]\n"
            "Breadth-first searches of a Kronecker graph, validated by the rules of Graph500.\n"
            "  -s, --scale=S         2^S vertices, 1 to 30 (default 14)\n"
            "  -e, --edge-factor=E   edges a vertex, 1 to 1024 (default 16)\n"
            "  -k, --searches=K      searches, each from another root, 1 to 1024 (default 8)\n"
            "      --seed=N          of the graph and the roots (default 1)\n"
            "      --spoil=RULE      break the first tree, so that validation by that rule (1 to "
            "5) must fail\n"
            "  -h, --help            print this text and exit\n");
}

static bool number(const char *text, int64_t least, int64_t most, int64_t *value)
{
    char *end;
    errno = 0;
    long long v = strtoll(text, &end, 10);
    *value = v;
    return !errno && end != text && !*end && v >= least && v <= most;
}

static void parse(int argc, char **argv, struct options *o)
{
    static const struct option options[] = {{"scale", required_argument, NULL, 's'},
                                            {"edge-factor", required_argument, NULL, 'e'},
                                            {"searches", required_argument, NULL, 'k'},
                                            {"seed", required_argument, NULL, 'S'},
                                            {"spoil", required_argument, NULL, 'x'},
                                            {"help", no_argument, NULL, 'h'},
                                            {NULL, 0, NULL, 0}};
    bool good = true;
    for (int c; good && (c = getopt_long(argc, argv, "s:e:k:h", options, NULL)) != -1;) {
        if (c == 'h') {
            usage(stdout);
            exit(EXIT_SUCCESS);
        }
        good = (c == 's' && number(optarg, 1, 30, &o->scale)) ||
               (c == 'e' && number(optarg, 1, 1024, &o->edge_factor)) ||
               (c == 'k' && number(optarg, 1, 1024, &o->nroots)) ||
               (c == 'S' && number(optarg, 0, INT64_MAX, &o->seed)) ||
               (c == 'x' && number(optarg, 1, 5, &o->spoil));
        if (!good && optarg)
            fprintf(stderr, "graph500: unusable value '%s'\n", optarg);
    }
    if (!good || optind < argc) {
        usage(stderr);
        exit(EXIT_FAILURE);
    }
}

// The next vertex at random that has a neighbour; the same on all PEs.
static uint32_t next_root(const struct graph *g, uint64_t *draws)
{
    for (;;) {
        uint32_t v = (uint32_t)(mix(g->seed ^ mix(UINT64_C(0x726f6f74) + (*draws)++)) &
                                (uint64_t)(g->nverts - 1));
        bool mine = owner_of(g, v) == g->me;
        int64_t degree = mine ? g->begin[local_of(g, v) + 1] - g->begin[local_of(g, v)] : 0;
        if (comm_sum(degree) > 0)
            return v;
        if (*draws > 1000000)
            shmem_global_exit(EXIT_FAILURE);
    }
}

// Breaks a rule at a vertex of this PE that is neither the root nor next to it, if there is one.
static bool spoil(const struct graph *g, const struct tree *t, int64_t rule)
{
    for (int64_t v = 0; v < g->nlocal; v++) {
        if (t->level[v] < 2)
            continue;
        if (rule == 1)
            t->parent[v] = global_of(g, v);
        else if (rule == 2)
            t->level[v]++;
        else if (rule == 3)
            t->level[v] += 5;
        else if (rule == 4)
            t->parent[v] = t->level[v] = NO_VERTEX;
        else
            t->parent[v] = (t->parent[v] + 1) % g->nverts == global_of(g, v)
                               ? (t->parent[v] + 2) % g->nverts
                               : (t->parent[v] + 1) % g->nverts;
        return true;
    }
    return false;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// Graph500 asks for the harmonic mean of rates, which is the arithmetic mean of times per edge.
static double report(double *teps, int64_t n, double seconds, double build_seconds)
{
    double cost = 0, square = 0;
    qsort(teps, (size_t)n, sizeof *teps, compare);
    for (int64_t i = 0; i < n; i++) {
        cost += 1 / teps[i] / (double)n;
        square += 1 / teps[i] / teps[i] / (double)n;
    }
    double spread =
        n > 1 ? sqrt(fmax(square - cost * cost, 0) / (double)(n - 1)) / (cost * cost) : 0;
    printf("construction: %.6f s; all searches: %.6f s\n", build_seconds, seconds);
    printf("MTEPS: min %.3f, median %.3f, max %.3f, harmonic mean %.3f, its standard error %.3f\n",
           teps[0] * 1e-6, teps[n / 2] * 1e-6, teps[n - 1] * 1e-6, 1e-6 / cost, spread * 1e-6);
    return 1 / cost;
}

struct outcome {
    double *teps;
    double seconds;
    int64_t nvalid;
};

static void run(const struct graph *g, const struct options *o, struct outcome *all)
{
    struct tree t = {need(malloc((size_t)(g->nlocal + 1) * sizeof *t.parent)),
                     need(malloc((size_t)(g->nlocal + 1) * sizeof *t.level))};
    struct mailbox *box = mailbox_open(g->npes, g->begin[g->nlocal]);
    uint64_t draws = 0;
    for (int64_t i = 0; i < o->nroots; i++) {
        uint32_t root = next_root(g, &draws);
        int64_t reached, edges;
        comm_barrier();
        double start = now_seconds();
        int32_t levels = search(g, box, root, &t);
        double seconds = comm_slowest(now_seconds() - start);
        if (i == 0 && o->spoil && comm_sum(spoil(g, &t, o->spoil)) == 0 && g->me == 0)
            printf("nothing to spoil\n");
        int64_t wrong = validate(g, box, root, &t, &reached, &edges);
        if (g->me == 0)
            printf("search from %" PRIu32 ": %" PRId64 " vertices in %" PRId32 " levels, %" PRId64
                   " edges: %s\n",
                   root, reached, levels, edges, wrong ? "FAILED" : "valid");
        if (g->me == 0 && wrong)
            fprintf(stderr, "graph500: FAILED: %" PRId64 " violations of the rules\n", wrong);
        all->teps[i] = (double)edges / seconds;
        all->seconds += seconds;
        all->nvalid += wrong == 0;
    }
    mailbox_close(box);
    free(t.level);
    free(t.parent);
}

int main(int argc, char **argv)
{
    struct options o = {.scale = 14, .edge_factor = 16, .nroots = 8, .seed = 1};
    parse(argc, argv, &o);
    comm_init(&argc, &argv);
    struct graph g;
    comm_barrier();
    double start = now_seconds();
    graph_build(&g, (int)o.scale, o.edge_factor, (uint64_t)o.seed);
    double build_seconds = comm_slowest(now_seconds() - start);
    int64_t loops = g.nedges - comm_sum(g.begin[g.nlocal]) / 2;
    if (g.me == 0)
        printf("graph of scale %" PRId64 ": %" PRId64 " vertices, %" PRId64 " edges, %" PRId64
               " of them loops\n",
               o.scale, g.nverts, g.nedges, loops);
    struct outcome all = {.teps = need(calloc((size_t)o.nroots, sizeof *all.teps))};
    run(&g, &o, &all);
    bool good = all.nvalid == o.nroots;
    if (g.me == 0) {
        printf("%" PRId64 " of %" PRId64 " searches valid\n", all.nvalid, o.nroots);
        double rate = report(all.teps, o.nroots, all.seconds, build_seconds);
        printf("RESULT program=graph500 pes=%d verified=%s seconds=%.6f rate=%.3f unit=MTEPS\n",
               g.npes, good ? "yes" : "no", all.seconds, rate * 1e-6);
    }
    free(all.teps);
    graph_free(&g);
    comm_finalize();
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
