// SPDX-License-Identifier: BSD-3-Clause
//
// Breadth-first search and connected components of a graph that is read from a file and spread over
// all PEs. Unless --no-verify is given, PE 0 repeats the work alone and compares.
#define _GNU_SOURCE  // getopt_long, getline
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "graph.h"
#include "names.h"
#include "serial.h"

struct options {
    const char *graph, *names, *root;
    enum direction direction;
    int64_t nsearches;
    bool verify;
};

static int64_t root_to_all, root_of_zero;  // symmetric

static double now_seconds(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (double)ts.tv_sec + 1e-9 * (double)ts.tv_nsec;
}

static void usage(FILE *out)
{
    fprintf(out,
            "Usage: graph -g FILE [options]\n"
            "Breadth-first search and connected components on a distributed graph.\n"
            "  -g, --graph=FILE      Matrix Market or edge list file; only PE 0 reads it\n"
            "  -N, --names=FILE      names of the vertices, one a line, for the printout\n"
            "  -r, --root=VERTEX     where to search from: a number as in the file, or a name\n"
            "  -k, --searches=K      without --root: search from K scattered vertices (default 4)\n"
            "  -d, --direction=D     follow arcs out (default), in or both\n"
            "  -v, --no-verify       skip the serial check on PE 0\n"
            "  -h, --help            print this text and exit\n");
}

static int parse_direction(const char *name)
{
    return !strcmp(name, "out")    ? ALONG
           : !strcmp(name, "in")   ? AGAINST
           : !strcmp(name, "both") ? BOTH
                                   : 0;
}

static int64_t parse_number(const char *text)
{
    char *end;
    errno = 0;
    long long v = strtoll(text, &end, 10);
    return errno || end == text || *end || v < 0 ? -1 : v;
}

static void parse(int argc, char **argv, struct options *o)
{
    static const struct option options[] = {{"graph", required_argument, NULL, 'g'},
                                            {"names", required_argument, NULL, 'N'},
                                            {"root", required_argument, NULL, 'r'},
                                            {"searches", required_argument, NULL, 'k'},
                                            {"direction", required_argument, NULL, 'd'},
                                            {"no-verify", no_argument, NULL, 'v'},
                                            {"help", no_argument, NULL, 'h'},
                                            {NULL, 0, NULL, 0}};
    for (int c; (c = getopt_long(argc, argv, "g:N:r:k:d:vh", options, NULL)) != -1;) {
        if (c == 'g')
            o->graph = optarg;
        else if (c == 'N')
            o->names = optarg;
        else if (c == 'r')
            o->root = optarg;
        else if (c == 'v')
            o->verify = false;
        else if (c == 'k' && parse_number(optarg) > 0)
            o->nsearches = parse_number(optarg);
        else if (c == 'd' && parse_direction(optarg))
            o->direction = (enum direction)parse_direction(optarg);
        else {
            if (c == 'k' || c == 'd')
                fprintf(stderr, "graph: unusable value '%s'\n", optarg);
            usage(c == 'h' ? stdout : stderr);
            exit(c == 'h' ? EXIT_SUCCESS : EXIT_FAILURE);
        }
    }
    if (optind < argc) {
        fprintf(stderr, "graph: unusable argument '%s'\n", argv[optind]);
        usage(stderr);
        exit(EXIT_FAILURE);
    }
    if (!o->graph) {
        fprintf(stderr, "graph: no graph file: give --graph\n");
        usage(stderr);
        exit(EXIT_FAILURE);
    }
    if (o->root)
        o->nsearches = 1;
}

// The vertex that --root means. PE 0, which has the names, looks it up and broadcasts it.
static int64_t root_given(const struct graph *g, const struct options *o, const struct names *names)
{
    if (g->me == 0) {
        int64_t number = parse_number(o->root) - g->base;
        root_of_zero = names_find(names, o->root);
        if (root_of_zero < 0 && parse_number(o->root) >= 0)
            root_of_zero = number;
        if (root_of_zero < 0 || root_of_zero >= g->nverts) {
            fprintf(stderr, "graph: there is no vertex '%s'\n", o->root);
            shmem_global_exit(EXIT_FAILURE);
        }
    }
    shmem_broadcastmem(SHMEM_TEAM_WORLD, &root_to_all, &root_of_zero, sizeof root_to_all, 0);
    return root_to_all;
}

// The k-th root: scattered over the graph, the same for every number of PEs, and not a vertex
// without arcs to follow (unless almost all have none).
static int64_t root_chosen(const struct graph *g, int64_t k, enum direction d)
{
    int64_t v = 0;
    for (uint64_t attempt = 0; attempt < 100; attempt++) {
        uint64_t x = ((uint64_t)k * 100 + attempt + 1) * UINT64_C(0x9e3779b97f4a7c15);
        x = (x ^ (x >> 31)) * UINT64_C(0xbf58476d1ce4e5b9);
        v = (int64_t)((x ^ (x >> 29)) % (uint64_t)g->nverts);
        if (graph_degree(g, v, d) > 0)
            break;
    }
    return v;
}

static void print_search(const struct graph *g, const struct search *s, const struct names *names)
{
    printf("search from ");
    names_print(names, s->root, g->base);
    printf(": %" PRId64 " vertices in %" PRId64 " levels, %" PRId64 " arcs\n", s->reached,
           s->depth + 1, s->scanned);
}

// Prints one of the longest of the shortest paths, got vertex by vertex from their owners.
static void print_path(const struct graph *g, const struct search *s, const struct names *names)
{
    int64_t *path = need_private(s->depth + 1, sizeof *path, "a path");
    int64_t n = search_path(g, s, s->deepest, path);
    printf("farthest:");
    for (int64_t k = 0; k < n; k++) {
        printf(k ? " > " : " ");
        names_print(names, path[k], g->base);
    }
    printf("\n");
    free(path);
}

// Totals so far, for the last line.
struct tally {
    double seconds;
    int64_t scanned;
    int64_t wrong;
};

static void run_searches(const struct graph *g, const struct options *o, const struct names *names,
                         struct serial *serial, struct tally *t)
{
    struct search s = {0};
    for (int64_t k = 0; k < o->nsearches; k++) {
        int64_t root = o->root ? root_given(g, o, names) : root_chosen(g, k, o->direction);
        shmem_barrier_all();
        double start = now_seconds();
        search_run(g, &s, root, o->direction);
        t->seconds += now_seconds() - start;
        t->scanned += s.scanned;
        if (g->me == 0) {
            print_search(g, &s, names);
            if (k == o->nsearches - 1)
                print_path(g, &s, names);
            if (serial)
                t->wrong += serial_check_search(serial, g, &s);
        }
        shmem_barrier_all();  // PE 0 is done with the levels of all PEs
    }
    search_destroy(&s);
}

static void run_components(const struct graph *g, struct serial *serial, struct tally *t)
{
    struct components c;
    shmem_barrier_all();
    double start = now_seconds();
    components_run(g, &c);
    t->seconds += now_seconds() - start;
    t->scanned += c.scanned;
    if (g->me == 0) {
        printf("%" PRId64 " components, the largest of %" PRId64 " vertices\n", c.count, c.largest);
        if (serial)
            t->wrong += serial_check_components(serial, g, &c);
    }
    components_destroy(&c);  // begins with a barrier: PE 0 is done with all labels
}

int main(int argc, char **argv)
{
    struct options o = {.direction = ALONG, .nsearches = 4, .verify = true};
    parse(argc, argv, &o);

    shmem_init();
    struct graph g;
    graph_read(&g, o.graph);
    struct names names = {0};
    struct serial serial;
    if (g.me == 0) {
        printf("graph of %" PRId64 " vertices and %" PRId64 " arcs\n", g.nverts, g.narcs);
        if (o.names && names_read(&names, o.names, g.nverts) != 0)
            shmem_global_exit(EXIT_FAILURE);
        if (o.verify)
            serial_read(&serial, o.graph);
    }

    struct serial *check = g.me == 0 && o.verify ? &serial : NULL;
    struct tally t = {0, 0, 0};
    run_searches(&g, &o, &names, check, &t);
    run_components(&g, check, &t);

    int ok = sum_over_pes(t.wrong) == 0;
    if (g.me == 0) {
        if (check)
            printf("vertices that differ from the serial run: %" PRId64 "\n", t.wrong);
        if (!ok)
            fprintf(stderr,
                    "graph: FAILED: the distributed result is not that of the serial run\n");
        printf("RESULT program=graph pes=%d verified=%s seconds=%.6f rate=%.3f unit=Marc/s\n",
               g.npes,
               !ok     ? "no"
               : check ? "yes"
                       : "skipped",
               t.seconds, 1e-6 * (double)t.scanned / t.seconds);
    }
    if (check)
        serial_destroy(check);
    names_destroy(&names);
    graph_destroy(&g);
    shmem_finalize();
    return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}
