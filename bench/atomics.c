// SPDX-License-Identifier: BSD-3-Clause
// How long do fetch_add, cswap, swap and add (+ quiet) on a long take from PE 0 to PE 1?
#include "pair.h"

static long *cell; // in the symmetric heap: not every library reaches static data of a peer
                    // directly

static void fetch_add(void *ctx, size_t count)
{
    (void)ctx;
    while (count--)
        shmem_long_atomic_fetch_add(cell, 1, 1);
}

static void cswap(void *ctx, size_t count)
{
    long seen = 0;
    (void)ctx;
    while (count--)
        seen = shmem_long_atomic_compare_swap(cell, seen, seen + 1, 1);
}

static void swap(void *ctx, size_t count)
{
    (void)ctx;
    for (size_t i = 0; i < count; i++)
        shmem_long_atomic_swap(cell, (long)i, 1);
}

static void add(void *ctx, size_t count)
{
    (void)ctx;
    while (count--)
        shmem_long_atomic_add(cell, 1, 1);
}

static void add_quiet(void *ctx, size_t count)
{
    (void)ctx;
    while (count--) {
        shmem_long_atomic_add(cell, 1, 1);
        shmem_quiet();
    }
}

static void quiet(void *ctx, size_t count)
{
    (void)ctx, (void)count;
    shmem_quiet();
}

static const struct {
    const char *name;
    bench_fn op, after;
} OPS[] = {
    {"fetch_add", fetch_add, NULL}, {"cswap", cswap, NULL},
    {"swap", swap, NULL},           {"add", add, quiet},
    {"add_quiet", add_quiet, NULL},
};

int main(int argc, char **argv)
{
    struct bench_opts opts;
    struct bench_series series = {0};
    pair_start(argc, argv, &opts);
    cell = pair_alloc(4096);
    shmem_barrier_all();
    for (size_t i = 0; pair_is_origin() && i < sizeof OPS / sizeof OPS[0]; i++) {
        if (!bench_wants(&opts, OPS[i].name))
            continue;
        bench_measure(&opts, OPS[i].op, OPS[i].after, NULL, &series);
        bench_emit(&opts, "atomics", OPS[i].name, 8, "ns", &series);
    }
    pair_finish(&opts);
    return 0;
}
