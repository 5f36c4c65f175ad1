// SPDX-License-Identifier: BSD-3-Clause
/*
 * Floods of small operations between two nodes, without a hint of the program: nanoseconds an
 * operation, with one quiet behind each flood inside the clock. --mode 1, 4 PEs: random atomic
 * updates of a table over all PEs, and the same collected by the program, in buckets that are put
 * and applied by their owner.
 */
#include "pair.h"

#include <stdint.h>

enum { FLOOD = 2048, UPDATES = 16 * 2048, BUCKET = 2049, TABLE = 1 << 16, MOST_PES = 16 };

struct flood {
    char *mine, *theirs;
    size_t nbytes;
};

static void puts_small(void *ctx, size_t count)
{
    struct flood *f = ctx;
    while (count--)
        shmem_putmem(f->theirs, f->mine, f->nbytes, 1);
    shmem_quiet();
}

static void gets_nbi(void *ctx, size_t count)
{
    struct flood *f = ctx;
    while (count--)
        shmem_getmem_nbi(f->mine, f->theirs, f->nbytes, 1);
    shmem_quiet();
}

static void scalar_puts(void *ctx, size_t count)
{
    struct flood *f = ctx;
    while (count--)
        shmem_long_p((long *)(void *)f->theirs, 1, 1);
    shmem_quiet();
}

static void adds(void *ctx, size_t count)
{
    struct flood *f = ctx;
    while (count--)
        shmem_long_atomic_add((long *)(void *)f->theirs, 1, 1);
    shmem_quiet();
}

#if SHMEM_MAJOR_VERSION > 1 || SHMEM_MINOR_VERSION >= 5
static void fetching_adds(void *ctx, size_t count)
{
    struct flood *f = ctx;
    while (count--)
        shmem_ulong_atomic_fetch_add_nbi((unsigned long *)(void *)f->mine,
                                         (unsigned long *)(void *)f->theirs, 1, 1);
    shmem_quiet();
}
#endif

static void measure(const struct bench_opts *opts, const char *name, bench_fn op, struct flood *f,
                    size_t nbytes)
{
    struct bench_series series = {0};
    f->nbytes = nbytes;
    if (!bench_wants(opts, name))
        return;
    bench_measure_batch(opts, op, NULL, f, FLOOD, &series);
    bench_emit(opts, "floods", name, nbytes, "ns", &series);
    free(series.v);
}

static void floods(const struct bench_opts *opts)
{
    struct flood f = {.mine = pair_alloc(1024), .theirs = pair_alloc(1024)};
    shmem_barrier_all();
    if (!pair_is_origin())
        return;
    measure(opts, "p", scalar_puts, &f, 8);
    for (size_t nbytes = 8; nbytes <= 1024; nbytes = nbytes == 8 ? 256 : 4 * nbytes)
        measure(opts, "put", puts_small, &f, nbytes);
    measure(opts, "get_nbi", gets_nbi, &f, 8);
    measure(opts, "get_nbi", gets_nbi, &f, 256);
    measure(opts, "add", adds, &f, 8);
#if SHMEM_MAJOR_VERSION > 1 || SHMEM_MINOR_VERSION >= 5
    measure(opts, "fetch_add_nbi", fetching_adds, &f, 8);
#endif
}

// ---------------------------------------------------------------- random access
static unsigned long *table;                               // of TABLE words, symmetric
static uint32_t (*sent)[BUCKET], (*received)[MOST_PES][BUCKET];  // by PE; received twice, in turn
static int me, npes;

static uint64_t next(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;  // splitmix64
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static void plain_updates(uint64_t *state)
{
    for (int i = 0; i < UPDATES; i++) {
        uint64_t r = next(state);
        shmem_ulong_atomic_add(&table[r % TABLE], 1, (int)((r >> 32) % (unsigned)npes));
    }
    shmem_barrier_all();
}

/** Buckets are exchanged when one may be full. */
static void bucket_updates(uint64_t *state)
{
    for (int i = 0, turn = 0; i < UPDATES; i += BUCKET - 1, turn = !turn) {
        for (int pe = 0; pe < npes; pe++)
            sent[pe][0] = 0;  // how many follow
        for (int k = 0; k < BUCKET - 1; k++) {
            uint64_t r = next(state);
            uint32_t *bucket = sent[(int)((r >> 32) % (unsigned)npes)];
            bucket[++bucket[0]] = (uint32_t)(r % TABLE);
        }
        for (int pe = 0; pe < npes; pe++)
            shmem_putmem(received[turn][me], sent[pe], (sent[pe][0] + 1) * sizeof sent[pe][0], pe);
        shmem_barrier_all();
        for (int pe = 0; pe < npes; pe++)
            for (uint32_t at = 1; at <= received[turn][pe][0]; at++)
                table[received[turn][pe][at]]++;
    }
    shmem_barrier_all();
}

static void random_access(const struct bench_opts *opts, const char *name,
                          void (*update)(uint64_t *state))
{
    struct bench_series series = {0};
    uint64_t state = (uint64_t)me << 40;
    for (int round = 0; round < (opts->quick ? 3 : 10); round++) {
        shmem_barrier_all();
        uint64_t start = bench_now_ns();
        update(&state);
        if (round > 0)
            bench_series_add(&series, (double)(bench_now_ns() - start) / UPDATES);
    }
    if (pair_is_origin())
        bench_emit(opts, "floods", name, 8, "ns", &series);
    free(series.v);
}

static void compare(const struct bench_opts *opts)
{
    table = pair_alloc(TABLE * sizeof *table);
    received = pair_alloc(2 * sizeof *received);
    sent = malloc(MOST_PES * sizeof *sent);
    if (!sent || npes > MOST_PES) {
        fprintf(stderr, "floods: 2 to %d PEs, and memory for a bucket each\n", MOST_PES);
        shmem_global_exit(2);
    }
    random_access(opts, "updates", plain_updates);
    random_access(opts, "updates_in_buckets", bucket_updates);
    free(sent);
}

int main(int argc, char **argv)
{
    struct bench_opts opts;
    pair_start(argc, argv, &opts);
    me = shmem_my_pe();
    npes = shmem_n_pes();
    if (opts.mode == 1)
        compare(&opts);
    else
        floods(&opts);
    pair_finish(&opts);
    return 0;
}
