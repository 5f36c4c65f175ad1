// SPDX-License-Identifier: BSD-3-Clause
/*
 * How long do barrier_all, sync_all and sum reductions take over all PEs? Each sample is the mean of BATCH
 * calls on PE 0. The reduction is the active-set form, which every OpenSHMEM up to 1.5 has;
 * -DBENCH_TEAM_REDUCE takes the team form.
 */
#include "pair.h"

enum { BATCH = 10, WARM_UP = 2, MAX_ELEMS = 8192 };

static long src[MAX_ELEMS], dst[MAX_ELEMS];
static long nbatches_shared;
static size_t nelems;
static const size_t SIZES[] = {1, 128, MAX_ELEMS};

#ifdef BENCH_TEAM_REDUCE
static void reduce_init(void)
{
}

static void reduce(void)
{
    shmem_long_sum_reduce(SHMEM_TEAM_WORLD, dst, src, nelems);
}
#else
static long sync_words[2][SHMEM_REDUCE_SYNC_SIZE];
static long work[2][MAX_ELEMS / 2 + 1 + SHMEM_REDUCE_MIN_WRKDATA_SIZE];

static void reduce_init(void)
{
    for (int set = 0; set < 2; set++)
        for (int i = 0; i < SHMEM_REDUCE_SYNC_SIZE; i++)
            sync_words[set][i] = SHMEM_SYNC_VALUE;
}

// Two sets of work arrays in turn: nobody reaches call k+2 before everybody has left call k.
static void reduce(void)
{
    static int set;
    shmem_long_sum_to_all(dst, src, (int)nelems, 0, 0, shmem_n_pes(), work[set], sync_words[set]);
    set ^= 1;
}
#endif

static void barrier(void)
{
    shmem_barrier_all();
}

static void sync_all(void)
{
    shmem_sync_all();
}

static double batch_ns(void (*call)(void))
{
    uint64_t start = bench_now_ns();
    for (int i = 0; i < BATCH; i++)
        call();
    return (double)(bench_now_ns() - start) / BATCH;
}

// All PEs must make the same number of calls: PE 0 decides it from the warm-up and tells.
static long agree_nbatches(const struct bench_opts *opts, void (*call)(void))
{
    double ns = 0;
    for (int i = 0; i < WARM_UP; i++)
        ns = batch_ns(call);
    shmem_barrier_all();
    if (shmem_my_pe() == 0) {
        double fit = opts->budget_ms * 1e6 / (ns * BATCH);
        long nbatches = fit < 10 ? 10 : fit > 4000 ? 4000 : (long)fit;
        for (int pe = 0; pe < shmem_n_pes(); pe++)
            shmem_long_p(&nbatches_shared, nbatches, pe);
    }
    shmem_barrier_all();
    return nbatches_shared;
}

static void measure(const struct bench_opts *opts, const char *op, void (*call)(void), struct bench_series *series)
{
    if (!bench_wants(opts, op))
        return;
    long nbatches = agree_nbatches(opts, call);
    for (long i = 0; i < nbatches; i++)
        bench_series_add(series, batch_ns(call));
    if (shmem_my_pe() == 0)
        bench_emit(opts, "coll", op, nelems * sizeof(long), "ns", series);
    bench_series_clear(series);
}

int main(int argc, char **argv)
{
    struct bench_opts opts;
    struct bench_series series = {0};
    pair_start(argc, argv, &opts);
    reduce_init();
    for (size_t i = 0; i < MAX_ELEMS; i++)
        src[i] = (long)i + shmem_my_pe();
    shmem_barrier_all();
    measure(&opts, "barrier_all", barrier, &series);
    measure(&opts, "sync_all", sync_all, &series);
    for (size_t i = 0; i < sizeof SIZES / sizeof SIZES[0]; i++) {
        nelems = SIZES[i];
        measure(&opts, "sum", reduce, &series);
        long npes = shmem_n_pes();
        if (bench_wants(&opts, "sum") && dst[0] != npes * (npes - 1) / 2) {
            fprintf(stderr, "coll: PE %d: wrong sum %ld\n", shmem_my_pe(), dst[0]);
            shmem_global_exit(1);
        }
    }
    pair_finish(&opts);
    return 0;
}
