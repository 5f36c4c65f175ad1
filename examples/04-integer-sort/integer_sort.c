// SPDX-License-Identifier: BSD-3-Clause
//
// Bucket sort of integers. Each PE generates a part of the keys; splitters, on which all PEs agree,
// cut one bucket for each PE; each PE puts its share of every bucket into the memory of the PE that
// owns it; each PE sorts what it received. Afterwards PE 0 holds the smallest keys, the last PE the
// largest.
#define _GNU_SOURCE  // getopt_long
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "keys.h"
#include "local_sort.h"

enum { SAMPLES_PER_PE = 128 };

struct options {
    uint64_t nkeys;  // of all PEs
    uint64_t seed;
    enum distribution distribution;
};

struct sorter {
    int me, npes;
    uint32_t *keys;   // private: the keys that this PE generated
    uint32_t *spare;  // private: those keys in buckets, then room for the local sort
    uint64_t nkeys;
    uint32_t *splitters;  // npes - 1 of them: bucket p holds keys below splitters[p]

    // Symmetric.
    uint32_t *samples;              // [npes][SAMPLES_PER_PE]
    uint64_t *nsent, *nreceived;    // [npes]: keys for, and from, each PE
    uint64_t *put_at, *receive_at;  // [npes]: where this PE's keys go in each PE's inbox,
                                    // and where each PE's go in this one's
    uint32_t *inbox;
    uint64_t ninbox;
};

// Symmetric: sources and targets of collectives.
static uint32_t my_samples[SAMPLES_PER_PE];
static uint64_t my_values[3], all_values[3];

static double now_seconds(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (double)ts.tv_sec + 1e-9 * (double)ts.tv_nsec;
}

// Reduces `n` of my_values to all_values. All PEs must be ready to have them overwritten before any
// PE begins: hence the synchronisation.
static void sum_over_pes(size_t n)
{
    shmem_sync_all();
    shmem_uint64_sum_reduce(SHMEM_TEAM_WORLD, all_values, my_values, n);
}

static uint64_t max_over_pes(uint64_t value)
{
    my_values[0] = value;
    shmem_sync_all();
    shmem_uint64_max_reduce(SHMEM_TEAM_WORLD, all_values, my_values, 1);
    return all_values[0];
}

static void out_of_memory(const struct sorter *s, const char *what, uint64_t nbytes)
{
    fprintf(stderr, "integer_sort: PE %d: no memory for %s (%" PRIu64 " MiB): sort fewer keys%s\n",
            s->me, what, (nbytes >> 20) + 1,
            strstr(what, "symmetric") ? " or raise SHMEM_SYMMETRIC_SIZE" : "");
    shmem_global_exit(EXIT_FAILURE);
}

static void make_keys(struct sorter *s, const struct options *o)
{
    uint64_t first = o->nkeys / (uint64_t)s->npes * (uint64_t)s->me;
    uint64_t last = s->me == s->npes - 1 ? o->nkeys : first + o->nkeys / (uint64_t)s->npes;
    s->nkeys = last - first;
    s->keys = malloc((s->nkeys + 1) * sizeof *s->keys);
    s->spare = malloc((s->nkeys + 1) * sizeof *s->spare);
    s->splitters = malloc((size_t)s->npes * sizeof *s->splitters);
    if (!s->keys || !s->spare || !s->splitters)
        out_of_memory(s, "the keys", 2 * s->nkeys * sizeof *s->keys);
    for (uint64_t i = 0; i < s->nkeys; i++)
        s->keys[i] = make_key(first + i, o->seed, o->distribution);
}

static void allocate_tables(struct sorter *s)
{
    size_t n = (size_t)s->npes;
    s->samples = shmem_malloc(n * SAMPLES_PER_PE * sizeof *s->samples);
    s->nsent = shmem_calloc(n, sizeof *s->nsent);
    s->nreceived = shmem_calloc(n, sizeof *s->nreceived);
    s->put_at = shmem_calloc(n, sizeof *s->put_at);
    s->receive_at = shmem_calloc(n, sizeof *s->receive_at);
    if (!s->samples || !s->nsent || !s->nreceived || !s->put_at || !s->receive_at)
        out_of_memory(s, "symmetric tables", n * (SAMPLES_PER_PE + 8) * 4);
}

// Every PE contributes some of its keys; sorted and cut into npes equal parts, they give buckets of
// nearly equal size for any distribution of the keys.
static void choose_splitters(struct sorter *s)
{
    size_t nsamples = (size_t)s->npes * SAMPLES_PER_PE;
    uint32_t *room = malloc(nsamples * sizeof *room);
    if (!room)
        out_of_memory(s, "the samples", nsamples * sizeof *room);
    for (uint64_t k = 0; k < SAMPLES_PER_PE; k++)
        my_samples[k] = s->keys[k * s->nkeys / SAMPLES_PER_PE];
    shmem_fcollectmem(SHMEM_TEAM_WORLD, s->samples, my_samples, sizeof my_samples);

    local_sort(s->samples, room, nsamples);
    for (int p = 0; p < s->npes - 1; p++)
        s->splitters[p] = s->samples[(size_t)(p + 1) * SAMPLES_PER_PE];
    free(room);
}

// The number of splitters that are not above the key, by bisection.
static int bucket_of(const struct sorter *s, uint32_t key)
{
    const uint32_t *base = s->splitters;
    int n = s->npes - 1;
    while (n > 0) {
        int half = (n + 1) / 2;
        base += base[half - 1] <= key ? half : 0;
        n -= half;
    }
    return (int)(base - s->splitters);
}

// Groups this PE's keys by bucket, in `spare`; bucket p begins at start[p].
static void fill_buckets(struct sorter *s, uint64_t *start)
{
    memset(s->nsent, 0, (size_t)s->npes * sizeof *s->nsent);
    for (uint64_t i = 0; i < s->nkeys; i++)
        s->nsent[bucket_of(s, s->keys[i])]++;
    uint64_t position = 0;
    for (int p = 0; p < s->npes; p++) {
        start[p] = position;
        position += s->nsent[p];
    }
    for (uint64_t i = 0; i < s->nkeys; i++)
        s->spare[start[bucket_of(s, s->keys[i])]++] = s->keys[i];
    for (int p = 0; p < s->npes; p++)
        start[p] -= s->nsent[p];
}

// Each owner learns how many keys come from each PE, lays out its inbox, and tells every PE where
// to write. No PE needs a table of all pairs, and no two puts touch the same key.
static void lay_out_inbox(struct sorter *s)
{
    shmem_alltoallmem(SHMEM_TEAM_WORLD, s->nreceived, s->nsent, sizeof *s->nsent);
    s->ninbox = 0;
    for (int p = 0; p < s->npes; p++) {
        s->receive_at[p] = s->ninbox;
        s->ninbox += s->nreceived[p];
    }
    shmem_alltoallmem(SHMEM_TEAM_WORLD, s->put_at, s->receive_at, sizeof *s->put_at);

    // Symmetric memory has one size on every PE: the fullest inbox decides.
    uint64_t room = max_over_pes(s->ninbox);
    s->inbox = shmem_malloc((room + 1) * sizeof *s->inbox);
    if (!s->inbox)
        out_of_memory(s, "a symmetric inbox", room * sizeof *s->inbox);
}

static void exchange(struct sorter *s, const uint64_t *start)
{
    for (int k = 0; k < s->npes; k++) {
        int pe = (s->me + k) % s->npes;  // every PE begins with another target
        if (s->nsent[pe])
            shmem_putmem_nbi(s->inbox + s->put_at[pe], s->spare + start[pe],
                             s->nsent[pe] * sizeof *s->inbox, pe);
    }
    shmem_barrier_all();  // completes the puts of all PEs
}

static void sort_keys(struct sorter *s)
{
    uint64_t *start = malloc((size_t)s->npes * sizeof *start);
    if (!start)
        out_of_memory(s, "the buckets", (size_t)s->npes * sizeof *start);
    choose_splitters(s);
    fill_buckets(s, start);
    lay_out_inbox(s);
    exchange(s, start);
    free(start);
    if (s->ninbox > s->nkeys) {
        free(s->spare);
        s->spare = malloc(s->ninbox * sizeof *s->spare);
        if (!s->spare)
            out_of_memory(s, "sorting", s->ninbox * sizeof *s->spare);
    }
    local_sort(s->inbox, s->spare, s->ninbox);
}

static struct digest digest_of(const uint32_t *keys, uint64_t n)
{
    struct digest d = {0, 0, 0, 0};
    for (uint64_t i = 0; i < n; i++)
        digest_add(&d, keys[i]);
    return d;
}

// The digest of the keys of all PEs.
static struct digest combine(struct digest d)
{
    my_values[0] = d.count;
    my_values[1] = d.sum;
    my_values[2] = d.scrambled;
    sum_over_pes(3);
    d.count = all_values[0];
    d.sum = all_values[1];
    d.scrambled = all_values[2];
    my_values[0] = d.xored;
    shmem_sync_all();
    shmem_uint64_xor_reduce(SHMEM_TEAM_WORLD, all_values, my_values, 1);
    d.xored = all_values[0];
    return d;
}

// Checks the order on each PE, and that no PE's smallest key is below the largest of the PEs before
// it. A PE may have received no keys, so the comparison is with the last PE that has some.
static int in_order(const struct sorter *s)
{
    // [npes] of count, first, last
    uint64_t *edges = shmem_malloc((size_t)s->npes * sizeof my_values);
    if (!edges)
        out_of_memory(s, "a symmetric table of edges", (size_t)s->npes * sizeof my_values);
    my_values[0] = s->ninbox;
    my_values[1] = s->ninbox ? s->inbox[0] : 0;
    my_values[2] = s->ninbox ? s->inbox[s->ninbox - 1] : 0;
    shmem_fcollectmem(SHMEM_TEAM_WORLD, edges, my_values, sizeof my_values);

    int ok = 1;
    for (uint64_t i = 1; i < s->ninbox; i++)
        ok = ok && s->inbox[i - 1] <= s->inbox[i];
    for (int p = s->me - 1; s->ninbox && p >= 0; p--)
        if (edges[3 * p]) {
            ok = ok && edges[3 * p + 2] <= s->inbox[0];
            break;
        }
    if (!ok)
        fprintf(stderr, "integer_sort: PE %d: keys are out of order\n", s->me);
    shmem_free(edges);

    return max_over_pes(!ok) == 0;
}

static void usage(FILE *out)
{
    fprintf(out, "Usage: integer_sort [-n N] [-d DISTRIBUTION] [-s SEED]\n"
                 "Sorts N random 32-bit keys that are spread over all PEs, and checks the result.\n"
                 "  -n, --keys=N               keys in all, suffix K, M or G for 2^10, 2^20, 2^30 "
                 "(default 16M)\n"
                 "  -d, --distribution=D       uniform (default) or gauss\n"
                 "  -s, --seed=SEED            another set of keys (default 1)\n"
                 "  -h, --help                 print this text and exit\n");
}

// A whole number from 1 to 2^40 with an optional suffix; 0 if the text is none.
static uint64_t parse_count(const char *text)
{
    char *end;
    errno = 0;
    unsigned long long v = strtoull(text, &end, 10);
    int shift = *end == 'K' ? 10 : *end == 'M' ? 20 : *end == 'G' ? 30 : 0;
    int bad = errno || end == text || *text == '-' || end[shift ? 1 : 0];
    return bad || v > (UINT64_C(1) << 40 >> shift) ? 0 : (uint64_t)v << shift;
}

static void parse(int argc, char **argv, struct options *o)
{
    static const struct option options[] = {{"keys", required_argument, NULL, 'n'},
                                            {"distribution", required_argument, NULL, 'd'},
                                            {"seed", required_argument, NULL, 's'},
                                            {"help", no_argument, NULL, 'h'},
                                            {NULL, 0, NULL, 0}};
    for (int c; (c = getopt_long(argc, argv, "n:d:s:h", options, NULL)) != -1;) {
        if (c == 'n' && parse_count(optarg))
            o->nkeys = parse_count(optarg);
        else if (c == 's' && parse_count(optarg))
            o->seed = parse_count(optarg);
        else if (c == 'd' && (!strcmp(optarg, "uniform") || !strcmp(optarg, "gauss")))
            o->distribution = *optarg == 'g' ? GAUSS : UNIFORM;
        else {
            if (c != '?' && c != 'h')
                fprintf(stderr, "integer_sort: unusable value '%s'\n", optarg);
            usage(c == 'h' ? stdout : stderr);
            exit(c == 'h' ? EXIT_SUCCESS : EXIT_FAILURE);
        }
    }
    if (optind < argc) {
        fprintf(stderr, "integer_sort: unusable argument '%s'\n", argv[optind]);
        usage(stderr);
        exit(EXIT_FAILURE);
    }
}

static void destroy(struct sorter *s)
{
    shmem_free(s->inbox);
    shmem_free(s->receive_at);
    shmem_free(s->put_at);
    shmem_free(s->nreceived);
    shmem_free(s->nsent);
    shmem_free(s->samples);
    free(s->splitters);
    free(s->spare);
    free(s->keys);
}

int main(int argc, char **argv)
{
    struct options o = {UINT64_C(1) << 24, 1, UNIFORM};
    parse(argc, argv, &o);

    shmem_init();
    struct sorter s = {.me = shmem_my_pe(), .npes = shmem_n_pes()};
    make_keys(&s, &o);
    allocate_tables(&s);
    struct digest before = combine(digest_of(s.keys, s.nkeys));

    shmem_barrier_all();
    double start = now_seconds();
    sort_keys(&s);
    shmem_barrier_all();
    double seconds = now_seconds() - start;

    struct digest after = combine(digest_of(s.inbox, s.ninbox));
    int ordered = in_order(&s);
    int same = memcmp(&before, &after, sizeof before) == 0 && after.count == o.nkeys;
    uint64_t fullest = max_over_pes(s.ninbox);
    int ok = ordered && same;
    if (s.me == 0) {
        printf("%" PRIu64 " keys, %s, sum %" PRIu64 "\n", o.nkeys,
               o.distribution == GAUSS ? "gauss" : "uniform", before.sum);
        printf("fullest PE holds %.2f times its equal share\n",
               (double)fullest * s.npes / (double)o.nkeys);
        printf("globally in order: %s, same keys as before: %s\n", ordered ? "yes" : "no",
               same ? "yes" : "no");
        if (!ok)
            fprintf(stderr, "integer_sort: FAILED: the result is not the sorted set of keys\n");
        printf(
            "RESULT program=integer-sort pes=%d verified=%s seconds=%.6f rate=%.3f unit=Mkey/s\n",
            s.npes, ok ? "yes" : "no", seconds, 1e-6 * (double)o.nkeys / seconds);
    }
    destroy(&s);
    shmem_finalize();
    return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}
