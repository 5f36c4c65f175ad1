// SPDX-License-Identifier: BSD-3-Clause
/*
 * What do large pages gain (CAUSEWAY_HUGEPAGES)? How long does the first touch of a block take that
 * was allocated just now, with its allocation, for each MiB; the first p to each 4 KiB of a peer's
 * memory, for each MiB; then, how long a p and a g of random words of 512 MiB of the peer?
 */
#include "pair.h"

enum {
    WORDS = 64 << 20,  // of PE 1, that PE 0 goes to
    FEW = 4 << 20,     // the same, with --max-bytes
    FRESH = 16 << 20,  // bytes that are touched for the first time, in a sample
    SAMPLES = 5,       // of them
    MIB = 1 << 20,
    PAGE = 4096,
};

static long *words;
static size_t nwords = WORDS;
static uint64_t seed = 1;

static long random_word(void)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (long)((seed >> 33) % nwords);
}

static void put(void *ctx, size_t count)
{
    (void)ctx;
    while (count--)
        shmem_long_p(words + random_word(), 1, 1);
}

static void get(void *ctx, size_t count)
{
    long sum = 0;
    (void)ctx;
    while (count--)
        sum += shmem_long_g(words + random_word(), 1);
    *words = sum;  // of PE 0, which no PE reads
}

static void quiet(void *ctx, size_t count)
{
    (void)ctx, (void)count;
    shmem_quiet();
}

/** Each block lies behind those before it, in pages without memory. */
static void touch(const struct bench_opts *opts)
{
    struct bench_series series = {0};
    for (int i = 0; i < SAMPLES; i++) {
        uint64_t start = bench_now_ns();
        char *fresh = pair_alloc(FRESH);
        bench_series_add(&series, (double)(bench_now_ns() - start) / (FRESH / MIB));
        if (fresh[FRESH - 1] != 1)
            shmem_global_exit(1);
    }
    if (pair_is_origin())
        bench_emit(opts, "large", "touch", MIB, "ns", &series);
    bench_series_clear(&series);
}

/** The peer has touched all of it; this process has not. */
static void reach(const struct bench_opts *opts)
{
    struct bench_series series = {0};
    char *at = (char *)words, *end = (char *)(words + nwords);
    while (at < end) {
        uint64_t start = bench_now_ns();
        for (char *part_end = at + FRESH; at < part_end; at += PAGE)
            shmem_long_p((long *)(void *)at, 1, 1);
        shmem_quiet();
        bench_series_add(&series, (double)(bench_now_ns() - start) / (FRESH / MIB));
    }
    if (bench_wants(opts, "reach"))
        bench_emit(opts, "large", "reach", MIB, "ns", &series);
    bench_series_clear(&series);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        bench_fn op;
    } OPS[] = {{"put", put}, {"get", get}};
    struct bench_opts opts;
    struct bench_series series = {0};
    pair_start(argc, argv, &opts);
    if (opts.max_bytes < MIB)
        nwords = FEW;
    if (bench_wants(&opts, "touch"))
        touch(&opts);
    words = pair_alloc(nwords * sizeof *words);
    shmem_barrier_all();
    if (pair_is_origin())
        reach(&opts);
    for (size_t i = 0; pair_is_origin() && i < sizeof OPS / sizeof OPS[0]; i++) {
        if (!bench_wants(&opts, OPS[i].name))
            continue;
        bench_measure(&opts, OPS[i].op, quiet, NULL, &series);
        bench_emit(&opts, "large", OPS[i].name, 8, "ns", &series);
    }
    pair_finish(&opts);
    return 0;
}
