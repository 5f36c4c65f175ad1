// SPDX-License-Identifier: BSD-3-Clause
// How long do put + quiet, put, get, p, p + quiet and g take from PE 0 to PE 1, 8 B to 16 MiB?
#include "pair.h"

struct transfer {
    char *src, *dst; // both symmetric and page aligned: the baseline copies between the same kind
                      // of memory
    size_t nbytes;
};

static void put_quiet(void *ctx, size_t count)
{
    struct transfer *t = ctx;
    while (count--) {
        shmem_putmem(t->dst, t->src, t->nbytes, 1);
        shmem_quiet();
    }
}

static void put(void *ctx, size_t count)
{
    struct transfer *t = ctx;
    while (count--)
        shmem_putmem(t->dst, t->src, t->nbytes, 1);
}

static void get(void *ctx, size_t count)
{
    struct transfer *t = ctx;
    while (count--)
        shmem_getmem(t->src, t->dst, t->nbytes, 1);
}

static void p(void *ctx, size_t count)
{
    struct transfer *t = ctx;
    for (size_t i = 0; i < count; i++)
        shmem_long_p((long *)t->dst, (long)i, 1);
}

static void p_quiet(void *ctx, size_t count)
{
    struct transfer *t = ctx;
    for (size_t i = 0; i < count; i++) {
        shmem_long_p((long *)t->dst, (long)i, 1);
        shmem_quiet();
    }
}

static void g(void *ctx, size_t count)
{
    struct transfer *t = ctx;
    long sum = 0;
    while (count--)
        sum += shmem_long_g((long *)t->dst, 1);
    *(volatile long *)t->src = sum;
}

static void quiet(void *ctx, size_t count)
{
    (void)ctx, (void)count;
    shmem_quiet();
}

static const struct {
    const char *name;
    bench_fn op, after;
    int scalar;
} OPS[] = {
    {"p", p, quiet, 1},     {"p_quiet", p_quiet, NULL, 1},     {"g", g, NULL, 1},
    {"put", put, quiet, 0}, {"put_quiet", put_quiet, NULL, 0}, {"get", get, NULL, 0},
};

int main(int argc, char **argv)
{
    struct bench_opts opts;
    pair_start(argc, argv, &opts);
    struct transfer t = {.src = pair_alloc(opts.max_bytes), .dst = pair_alloc(opts.max_bytes)};
    struct bench_series series = {0};
    shmem_barrier_all();
    for (size_t i = 0; pair_is_origin() && i < sizeof OPS / sizeof OPS[0]; i++) {
        if (!bench_wants(&opts, OPS[i].name))
            continue;
        t.nbytes = 0;
        while ((t.nbytes = bench_next_size(&opts, t.nbytes)) && !(OPS[i].scalar && t.nbytes > 8)) {
            bench_measure(&opts, OPS[i].op, OPS[i].after, &t, &series);
            bench_emit(&opts, "latency", OPS[i].name, t.nbytes, "ns", &series);
        }
    }
    pair_finish(&opts);
    return 0;
}
