// SPDX-License-Identifier: BSD-3-Clause
/*
 * What the rows of caf.f90 are judged by: the same operations by OpenSHMEM, under the same names,
 * timed as there: image control and collectives in batches of 10. put is a p and a fence, sync
 * images a p each way and a wait for it, an event a put with a signal and a wait, there and back.
 * --mode 1: of those of one
 * PE only sections, by memcpy within a process, since the others are judged by plain arrays.
 */
#include "pair.h"

enum { BATCH = 10, WARM_UP = 3, ELEMS = 131072, SUM_MOST = 8192 };

static double *remote, *mine, *sums;  // in the symmetric heap
static double word;
static long flag, nbatches_shared;
static uint64_t signal_word;
static size_t nsum;

// ---------------------------------------------------------------- by the first PE
/** In order, as assignments to one variable are. */
static void put(void *ctx, size_t count)
{
    (void)ctx;
    for (size_t i = 0; i < count; i++) {
        shmem_double_p(&word, 1, 1);
        shmem_fence();
    }
}

static void get(void *ctx, size_t count)
{
    volatile double value;
    (void)ctx;
    for (size_t i = 0; i < count; i++)
        value = shmem_double_g(&word, 1);
    (void)value;
}

static void put_memory(void *ctx, size_t count)
{
    (void)ctx;
    for (size_t i = 0; i < count; i++) {
        shmem_double_p(&word, 1, 1);
        shmem_quiet();
    }
}

static void put_section(void *ctx, size_t count)
{
    (void)ctx;
    for (size_t i = 0; i < count; i++) {
        shmem_double_put(remote, mine, ELEMS, 1);
        shmem_quiet();
    }
}

static void get_section(void *ctx, size_t count)
{
    (void)ctx;
    for (size_t i = 0; i < count; i++)
        shmem_double_get(mine, remote, ELEMS, 1);
}

static void put_stride(void *ctx, size_t count)
{
    (void)ctx;
    for (size_t i = 0; i < count; i++) {
        shmem_double_iput(remote, mine, 2, 1, ELEMS, 1);
        shmem_quiet();
    }
}

static void get_stride(void *ctx, size_t count)
{
    (void)ctx;
    for (size_t i = 0; i < count; i++)
        shmem_double_iget(mine, remote, 1, 2, ELEMS, 1);
}

static void copy_section(void *ctx, size_t count)
{
    (void)ctx;
    for (size_t i = 0; i < count; i++) {
        memcpy(remote, mine, ELEMS * sizeof *mine);
        __asm__ volatile("" ::: "memory");
    }
}

typedef struct {
    const char *name;
    bench_fn op;
    size_t nbytes;
} row_t;
static const row_t COPIES[] = {{"put_section", copy_section, 8 * ELEMS},
                               {"get_section", copy_section, 8 * ELEMS},
                               {NULL, NULL, 0}};
static const row_t ONE_SIDED[] = {{"put", put, 8},
                 {"get", get, 8},
                 {"put_memory", put_memory, 8},
                 {"put_section", put_section, 8 * ELEMS},
                 {"get_section", get_section, 8 * ELEMS},
                 {"put_stride", put_stride, 8 * ELEMS},
                 {"get_stride", get_stride, 8 * ELEMS},
                 {NULL, NULL, 0}};

// ---------------------------------------------------------------- by both
static void all_images(void)
{
    shmem_barrier_all();
}

static void neighbours(void)
{
    static long count;
    shmem_long_p(&flag, ++count, 1 - shmem_my_pe());
    shmem_long_wait_until(&flag, SHMEM_CMP_GE, count);
}

static void events(void)
{
    static uint64_t count;
    const int me = shmem_my_pe();
    count++;
    if (me == 1)
        shmem_signal_wait_until(&signal_word, SHMEM_CMP_GE, count);
    shmem_putmem_signal(&word, &word, sizeof word, &signal_word, 1, SHMEM_SIGNAL_ADD, 1 - me);
    if (me == 0)
        shmem_signal_wait_until(&signal_word, SHMEM_CMP_GE, count);
}

static void sum(void)
{
    for (size_t i = 0; i < nsum; i++)
        sums[i] = 1;
    shmem_double_sum_reduce(SHMEM_TEAM_WORLD, sums, sums, nsum);
}

static const struct {
    const char *name;
    void (*op)(void);
    size_t nbytes, nsum;
} TOGETHER[] = {{"sync_all", all_images, 0, 0},
                {"sync_images", neighbours, 0, 0},
                {"event", events, 0, 0},
                {"sum", sum, 8, 1},
                {"sum", sum, 8 * SUM_MOST, SUM_MOST}};

static double batch_ns(void (*op)(void))
{
    uint64_t start = bench_now_ns();
    for (int i = 0; i < BATCH; i++)
        op();
    return (double)(bench_now_ns() - start) / BATCH;
}

static void measure_together(const struct bench_opts *opts, size_t which)
{
    static struct bench_series series;
    double ns = 0;
    nsum = TOGETHER[which].nsum;
    for (int i = 0; i < WARM_UP; i++)
        ns = batch_ns(TOGETHER[which].op);
    double n = opts->budget_ms * 1e6 / (ns * BATCH);
    nbatches_shared = n < 21 ? 21 : n > 4000 ? 4000 : (long)n;
    shmem_barrier_all();
    const long nbatches = shmem_long_g(&nbatches_shared, 0);
    shmem_barrier_all();
    for (long i = 0; i < nbatches; i++)
        bench_series_add(&series, batch_ns(TOGETHER[which].op));
    if (pair_is_origin())
        bench_emit(opts, "caf", TOGETHER[which].name, TOGETHER[which].nbytes, "ns", &series);
    bench_series_clear(&series);
    shmem_barrier_all();
}

static void measure_one_sided(const struct bench_opts *opts, const row_t *row)
{
    static struct bench_series series;
    for (; row->name; row++) {
        if (!bench_wants(opts, row->name) || row->nbytes > opts->max_bytes)
            continue;
        bench_measure(opts, row->op, NULL, NULL, &series);
        bench_emit(opts, "caf", row->name, row->nbytes, "ns", &series);
    }
}

int main(int argc, char **argv)
{
    struct bench_opts opts;
    pair_start(argc, argv, &opts);
    remote = pair_alloc(2 * ELEMS * sizeof *remote);
    mine = pair_alloc(ELEMS * sizeof *mine);
    sums = pair_alloc(SUM_MOST * sizeof *sums);
    shmem_barrier_all();
    if (pair_is_origin())
        measure_one_sided(&opts, opts.mode == 1 ? COPIES : ONE_SIDED);
    shmem_barrier_all();
    for (size_t i = 0; i < sizeof TOGETHER / sizeof TOGETHER[0]; i++)
        if (bench_wants(&opts, TOGETHER[i].name) && TOGETHER[i].nbytes <= opts.max_bytes)
            measure_together(&opts, i);
    pair_finish(&opts);
    return 0;
}
