// SPDX-License-Identifier: BSD-3-Clause
//
// RandomAccess: xor pseudo-random values into random words of a table that is spread over all PEs.
// The rules are those of the HPC Challenge benchmark: the table has 2^n words, 4 * 2^n updates are
// made, each PE may look at most 1024 updates ahead, and at most 1 % of the words may be wrong
// afterwards.
//
// The program compares three ways to make an update; see README.md.
#define _GNU_SOURCE  // getopt_long
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "stream.h"

enum { MAX_WINDOW = 256, SEEN_SLOTS = 1 << 16, UPDATES_PER_WORD = 4 };

enum method { ATOMIC, GETPUT, BATCH };
static const char *const method_names[] = {"atomic", "getput", "batch"};

struct options {
    int log2_words;  // 0: 2^18 words for each PE, rounded down to a power of two
    enum method method;
};

// The table in blocks: PE p holds words [first(p), first(p + 1)). Any number of PEs works; the
// first `extra` of them hold one word more than the others.
struct table {
    uint64_t *words;  // this PE's block, symmetric
    uint64_t nwords;  // of the whole table, a power of two
    uint64_t block;   // words in a small block
    uint64_t extra;   // PEs with block + 1 words
};

static int64_t my_errors, all_errors;  // symmetric, for the reduction

static double now_seconds(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (double)ts.tv_sec + 1e-9 * (double)ts.tv_nsec;
}

static uint64_t first_of(const struct table *t, uint64_t pe)
{
    return pe * t->block + (pe < t->extra ? pe : t->extra);
}

// The owner of a word, and where in the owner's block the word is.
static int locate(const struct table *t, uint64_t index, uint64_t *offset_p)
{
    uint64_t in_large = t->extra * (t->block + 1);
    if (index < in_large) {
        *offset_p = index % (t->block + 1);
        return (int)(index / (t->block + 1));
    }
    *offset_p = (index - in_large) % t->block;
    return (int)(t->extra + (index - in_large) / t->block);
}

// Atomic: no update is ever lost. The call returns no value, so the library may have many in
// flight; the barrier that ends the run completes them all.
static void update_atomic(const struct table *t, uint64_t ran, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++) {
        uint64_t offset;
        ran = stream_next(ran);
        int pe = locate(t, ran & (t->nwords - 1), &offset);
        shmem_uint64_atomic_xor(&t->words[offset], ran, pe);
    }
}

// Get, change, put: one round trip per update. An update of another PE between the get and the put
// is lost. The quiet makes this PE's next get see the put.
static void update_getput(const struct table *t, uint64_t ran, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++) {
        uint64_t offset;
        ran = stream_next(ran);
        int pe = locate(t, ran & (t->nwords - 1), &offset);
        uint64_t word = shmem_uint64_g(&t->words[offset], pe);
        shmem_uint64_p(&t->words[offset], word ^ ran, pe);
        shmem_quiet();
    }
}

// As getput, with a window of non-blocking gets, then of puts: two waits for a whole window. A
// window ends before a word that it already holds, since the second update would be lost. `seen`
// detects this: an entry that holds the number of this window was used in it. Unequal words may
// share an entry; that only ends a window early. Updates of other PEs can still be lost: about 4 *
// window * (npes - 1) / nwords of all words, if all PEs run at one speed. The window keeps that at
// a tenth of what the rule allows.
static void update_batch(const struct table *t, uint64_t ran, uint64_t n, int npes)
{
    uint64_t limit = t->nwords / (4096 * (uint64_t)npes);
    limit = limit < 1 ? 1 : limit > MAX_WINDOW ? MAX_WINDOW : limit;
    static uint64_t seen[SEEN_SLOTS];
    uint64_t got[MAX_WINDOW], value[MAX_WINDOW], offset[MAX_WINDOW];
    int pe[MAX_WINDOW];

    uint64_t next = stream_next(ran);
    for (uint64_t done = 0, window = 1; done < n; window++) {
        uint64_t w = 0;
        for (; w < limit && done + w < n; w++, next = stream_next(next)) {
            uint64_t index = next & (t->nwords - 1);
            if (seen[index % SEEN_SLOTS] == window)
                break;
            seen[index % SEEN_SLOTS] = window;
            value[w] = next;
            pe[w] = locate(t, index, &offset[w]);
            shmem_uint64_get_nbi(&got[w], &t->words[offset[w]], 1, pe[w]);
        }
        shmem_quiet();  // the gets have arrived
        for (uint64_t i = 0; i < w; i++) {
            got[i] ^= value[i];
            shmem_uint64_put_nbi(&t->words[offset[i]], &got[i], 1, pe[i]);
        }
        shmem_quiet();  // the puts are visible, got[] may be reused
        done += w;
    }
}

// Undoes every update in local memory: xor is its own inverse, so the table must be back at
// words[i] == i. Each PE generates the whole stream and applies what falls into its own block; it
// uses no communication that could hide a mistake of the run itself.
static int64_t count_errors(const struct table *t, int me, uint64_t nupdates)
{
    uint64_t first = first_of(t, (uint64_t)me);
    uint64_t n = first_of(t, (uint64_t)me + 1) - first;
    uint64_t ran = stream_start(0);
    int64_t errors = 0;

    for (uint64_t i = 0; i < nupdates; i++) {
        ran = stream_next(ran);
        uint64_t offset = (ran & (t->nwords - 1)) - first;  // wraps for words before the block
        if (offset < n)
            t->words[offset] ^= ran;
    }
    for (uint64_t i = 0; i < n; i++)
        errors += t->words[i] != first + i;
    return errors;
}

static void usage(FILE *out)
{
    fprintf(out,
            "Usage: random_access [-n LOG2] [-m METHOD]\n"
            "Random xor updates of a distributed table, by the rules of HPC Challenge.\n"
            "  -n, --log2-words=LOG2  table of 2^LOG2 words in all, 1..48 (default: 2^18 a PE)\n"
            "  -m, --method=METHOD    atomic (default), getput or batch\n"
            "  -h, --help             print this text and exit\n");
}

static int parse_method(const char *name)
{
    for (int m = ATOMIC; m <= BATCH; m++)
        if (strcmp(name, method_names[m]) == 0)
            return m;
    return -1;
}

// Returns 0 to continue, or ends the program.
static void parse(int argc, char **argv, struct options *o)
{
    static const struct option options[] = {{"log2-words", required_argument, NULL, 'n'},
                                            {"method", required_argument, NULL, 'm'},
                                            {"help", no_argument, NULL, 'h'},
                                            {NULL, 0, NULL, 0}};
    for (int c; (c = getopt_long(argc, argv, "n:m:h", options, NULL)) != -1;) {
        char *end = NULL;
        int method;
        if (c == 'n') {
            errno = 0;
            long v = strtol(optarg, &end, 10);
            if (!errno && end != optarg && !*end && v >= 1 && v <= 48) {
                o->log2_words = (int)v;
                continue;
            }
        } else if (c == 'm' && (method = parse_method(optarg)) >= 0) {
            o->method = (enum method)method;
            continue;
        } else if (c == 'h') {
            usage(stdout);
            exit(EXIT_SUCCESS);
        }
        if (c != '?')
            fprintf(stderr, "random_access: unusable value '%s'\n", optarg);
        usage(stderr);
        exit(EXIT_FAILURE);
    }
    if (optind < argc) {
        fprintf(stderr, "random_access: unusable argument '%s'\n", argv[optind]);
        usage(stderr);
        exit(EXIT_FAILURE);
    }
}

// Collective: chooses the size, allocates and fills words[i] = i.
static void make_table(struct table *t, int log2_words, int me, int npes)
{
    if (!log2_words)
        for (log2_words = 18; (UINT64_C(1) << log2_words) <= ((uint64_t)npes << 17);)
            log2_words++;
    t->nwords = UINT64_C(1) << log2_words;
    t->block = t->nwords / (uint64_t)npes;
    t->extra = t->nwords % (uint64_t)npes;
    t->words = NULL;
    if (t->block)
        t->words = shmem_malloc((t->block + 1) * sizeof *t->words);
    if (!t->words) {
        if (me == 0)
            fprintf(stderr,
                    "random_access: a table of 2^%d words on %d PEs needs %" PRIu64
                    " MiB of symmetric memory a PE"
                    " and a word for each: choose --log2-words or raise SHMEM_SYMMETRIC_SIZE\n",
                    log2_words, npes, ((t->block + 1) * sizeof *t->words >> 20) + 1);
        shmem_global_exit(EXIT_FAILURE);
    }
    uint64_t first = first_of(t, (uint64_t)me);
    uint64_t n = first_of(t, (uint64_t)me + 1) - first;
    for (uint64_t i = 0; i < n; i++)
        t->words[i] = first + i;
}

int main(int argc, char **argv)
{
    struct options o = {0, ATOMIC};
    parse(argc, argv, &o);

    shmem_init();
    int me = shmem_my_pe();
    int npes = shmem_n_pes();
    struct table t;
    make_table(&t, o.log2_words, me, npes);

    // Every PE makes an equal part of the one stream of updates.
    uint64_t nupdates = UPDATES_PER_WORD * t.nwords;
    uint64_t from = nupdates / (uint64_t)npes * (uint64_t)me;
    uint64_t to = me == npes - 1 ? nupdates : nupdates / (uint64_t)npes * ((uint64_t)me + 1);
    uint64_t ran = stream_start((int64_t)from);

    shmem_barrier_all();  // the tables of all PEs are filled
    double start = now_seconds();
    if (o.method == ATOMIC)
        update_atomic(&t, ran, to - from);
    else if (o.method == GETPUT)
        update_getput(&t, ran, to - from);
    else
        update_batch(&t, ran, to - from, npes);
    shmem_barrier_all();  // all updates have arrived
    double seconds = now_seconds() - start;

    my_errors = count_errors(&t, me, nupdates);
    shmem_int64_sum_reduce(SHMEM_TEAM_WORLD, &all_errors, &my_errors, 1);
    double percent = 100.0 * (double)all_errors / (double)t.nwords;
    // Atomic updates must not lose anything; the other methods may, within the benchmark's rule.
    int ok = o.method == ATOMIC ? all_errors == 0 : percent <= 1.0;

    if (me == 0) {
        printf("table of %" PRIu64 " words, %" PRIu64 " updates, method %s\n", t.nwords, nupdates,
               method_names[o.method]);
        printf("wrong words: %" PRId64 " (%.4f %%, limit %s)\n", all_errors, percent,
               o.method == ATOMIC ? "none" : "1 %");
        if (!ok)
            fprintf(stderr, "random_access: FAILED: %" PRId64 " of %" PRIu64 " words are wrong\n",
                    all_errors, t.nwords);
        printf("RESULT program=random-access method=%s pes=%d verified=%s seconds=%.6f rate=%.6f "
               "unit=MUP/s\n",
               method_names[o.method], npes, ok ? "yes" : "no", seconds,
               1e-6 * (double)nupdates / seconds);
    }
    shmem_free(t.words);
    shmem_finalize();
    return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}
