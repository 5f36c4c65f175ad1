// SPDX-License-Identifier: BSD-3-Clause
/*
 * How long do barrier_all, sync_all, sum reductions and the collectives that move data take over
 * all PEs? Each sample is the mean of BATCH calls on PE 0. Sizes are those of one PE's operand,
 * message or block. These are the active-set forms, which every OpenSHMEM up to 1.5 has;
 * -DBENCH_TEAM_REDUCE takes the team forms.
 */
#include "pair.h"

enum { BATCH = 10, WARM_UP = 2, MAX_ELEMS = 8192, MAX_PES = 32, MAX_BLOCK = 1024 };

// MAX_ELEMS of an operand, or a block for each PE
static long src[MAX_PES * MAX_BLOCK], dst[MAX_PES * MAX_BLOCK];
static long nbatches_shared;
static size_t nelems;
static const size_t SIZES[] = {1, 128, MAX_ELEMS}, BLOCKS[] = {1, 128, MAX_BLOCK};

#ifdef BENCH_TEAM_REDUCE
static void sync_words_init(void)
{
}

static void reduce(void)
{
    shmem_long_sum_reduce(SHMEM_TEAM_WORLD, dst, src, nelems);
}

static void broadcast(void)
{
    shmem_long_broadcast(SHMEM_TEAM_WORLD, dst, src, nelems, 0);
    shmem_barrier_all();
}

static void fcollect(void)
{
    shmem_long_fcollect(SHMEM_TEAM_WORLD, dst, src, nelems);
}

static void alltoall(void)
{
    shmem_long_alltoall(SHMEM_TEAM_WORLD, dst, src, nelems);
}
#else
enum {
    WORDS = SHMEM_REDUCE_SYNC_SIZE + SHMEM_COLLECT_SYNC_SIZE + SHMEM_ALLTOALL_SYNC_SIZE +
            SHMEM_BCAST_SYNC_SIZE
};
static long sync_words[2][WORDS];  // more than any of them needs
static long work[2][MAX_ELEMS / 2 + 1 + SHMEM_REDUCE_MIN_WRKDATA_SIZE];

static void sync_words_init(void)
{
    for (int set = 0; set < 2; set++)
        for (int i = 0; i < WORDS; i++)
            sync_words[set][i] = SHMEM_SYNC_VALUE;
}

// Two sets of work arrays in turn: where calls wait for all PEs, no PE reaches call k+2 before all
// PEs have left call k.
static int set;

static void reduce(void)
{
    shmem_long_sum_to_all(dst, src, (int)nelems, 0, 0, shmem_n_pes(), work[set], sync_words[set]);
    set ^= 1;
}

// A broadcast need not wait for all PEs: a root could reuse the same words too early, hence the
// barrier, which is part of the time.
static void broadcast(void)
{
    shmem_broadcast64(dst, src, nelems, 0, 0, 0, shmem_n_pes(), sync_words[set]);
    shmem_barrier_all();
    set ^= 1;
}

static void fcollect(void)
{
    shmem_fcollect64(dst, src, nelems, 0, 0, shmem_n_pes(), sync_words[set]);
    set ^= 1;
}

static void alltoall(void)
{
    shmem_alltoall64(dst, src, nelems, 0, 0, shmem_n_pes(), sync_words[set]);
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

// All PEs must make the same number of calls: PE 0 derives it from the warm-up and sends it to all.
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

static void measure(const struct bench_opts *opts, const char *op, void (*call)(void),
                    struct bench_series *series)
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

// On all PEs: no PE may begin the next operation, which writes dst, before all PEs have checked.
static void expect(const char *op, size_t i, long value)
{
    if (dst[i] != value) {
        fprintf(stderr, "coll: PE %d: %s: element %zu is %ld, not %ld\n", shmem_my_pe(), op, i,
                dst[i], value);
        shmem_global_exit(1);
    }
    shmem_barrier_all();
}

static void measure_sums(const struct bench_opts *opts, struct bench_series *series)
{
    long npes = shmem_n_pes();
    for (size_t i = 0; i < sizeof SIZES / sizeof SIZES[0]; i++) {
        nelems = SIZES[i];
        measure(opts, "sum", reduce, series);
        if (bench_wants(opts, "sum"))
            expect("sum", 0, npes * (npes - 1) / 2);
    }
}

static void measure_moves(const struct bench_opts *opts, struct bench_series *series)
{
    size_t last = (size_t)shmem_n_pes() - 1;
    for (size_t i = 0; i < sizeof BLOCKS / sizeof BLOCKS[0]; i++) {
        nelems = BLOCKS[i];
        measure(opts, "broadcast", broadcast, series);
        if (shmem_my_pe() == 0)
            dst[nelems - 1] = (long)nelems - 1;  // the root's is not written
        if (bench_wants(opts, "broadcast"))
            expect("broadcast", nelems - 1, (long)nelems - 1);
        measure(opts, "fcollect", fcollect, series);
        if (bench_wants(opts, "fcollect"))
            expect("fcollect", (last + 1) * nelems - 1, (long)(nelems - 1 + last));
        measure(opts, "alltoall", alltoall, series);
        if (bench_wants(opts, "alltoall"))
            expect("alltoall", last * nelems, (long)((size_t)shmem_my_pe() * nelems + last));
    }
}

int main(int argc, char **argv)
{
    struct bench_opts opts;
    struct bench_series series = {0};
    pair_start(argc, argv, &opts);
    sync_words_init();
    for (size_t i = 0; i < sizeof src / sizeof src[0]; i++)
        src[i] = (long)i + shmem_my_pe();
    shmem_barrier_all();
    measure(&opts, "barrier_all", barrier, &series);
    measure(&opts, "sync_all", sync_all, &series);
    measure_sums(&opts, &series);
    if (shmem_n_pes() <= MAX_PES)
        measure_moves(&opts, &series);
    pair_finish(&opts);
    return 0;
}
