// SPDX-License-Identifier: BSD-3-Clause
/*
 * How long do barrier_all, sync_all, sum reductions and the collectives that move data take over
 * all PEs? Each sample is the mean of BATCH calls on PE 0, of one where messages are long. Sizes
 * are those of one PE's operand, message or block. These are the active-set forms, which every
 * OpenSHMEM up to 1.5 has; -DBENCH_TEAM_REDUCE takes the team forms. In a collect PEs of odd ranks
 * bring half as much.
 */
#include "pair.h"

enum { BATCH = 10, WARM_UP = 2, LONG_ELEMS = 1 << 13, MAX_ELEMS = 1 << 17, MAX_PES = 16 };

static long *src, *dst;  // in the symmetric heap: MAX_ELEMS, for each PE where it is blocks
static long *nbatches_shared;  // there, too
static size_t nelems;
static const size_t SIZES[] = {1, 128, 1024, 8192, MAX_ELEMS};

/** Elements that a PE brings to a collect. */
static size_t collected(int pe)
{
    return pe % 2 ? (nelems + 1) / 2 : nelems;
}

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
}

static void fcollect(void)
{
    shmem_long_fcollect(SHMEM_TEAM_WORLD, dst, src, nelems);
}

static void collect(void)
{
    shmem_long_collect(SHMEM_TEAM_WORLD, dst, src, collected(shmem_my_pe()));
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
// Where calls wait for all PEs, two sets of work arrays in turn would do: no PE reaches call k+2
// before all PEs have left call k. A broadcast need not wait: its root gets a set for each call of
// a batch, behind which there is a barrier.
static long sync_words[BATCH][WORDS];  // more than any of them needs
static long work[2][MAX_ELEMS / 2 + 1 + SHMEM_REDUCE_MIN_WRKDATA_SIZE];

static void sync_words_init(void)
{
    for (int set = 0; set < BATCH; set++)
        for (int i = 0; i < WORDS; i++)
            sync_words[set][i] = SHMEM_SYNC_VALUE;
}

static int set;

static long *next_words(void)
{
    set = (set + 1) % BATCH;
    return sync_words[set];
}

static void reduce(void)
{
    long *words = next_words();
    shmem_long_sum_to_all(dst, src, (int)nelems, 0, 0, shmem_n_pes(), work[set % 2], words);
}

static void broadcast(void)
{
    shmem_broadcast64(dst, src, nelems, 0, 0, 0, shmem_n_pes(), next_words());
}

static void fcollect(void)
{
    shmem_fcollect64(dst, src, nelems, 0, 0, shmem_n_pes(), next_words());
}

static void collect(void)
{
    shmem_collect64(dst, src, collected(shmem_my_pe()), 0, 0, shmem_n_pes(), next_words());
}

static void alltoall(void)
{
    shmem_alltoall64(dst, src, nelems, 0, 0, shmem_n_pes(), next_words());
}
#endif

/** Until all have it. */
static void broadcast_and_barrier(void)
{
    broadcast();
    shmem_barrier_all();
}

/** Many in a row, and a barrier. */
static void broadcasts(void)
{
    for (int i = 0; i < BATCH; i++)
        broadcast();
    shmem_barrier_all();
}

static void barrier(void)
{
    shmem_barrier_all();
}

static void sync_all(void)
{
    shmem_sync_all();
}

static double batch_ns(void (*call)(void), int ncalls)
{
    uint64_t start = bench_now_ns();
    for (int i = 0; i < ncalls; i++)
        call();
    return (double)(bench_now_ns() - start);
}

// All PEs must make the same number of calls: PE 0 derives it from the warm-up and sends it to all.
static long agree_nbatches(const struct bench_opts *opts, void (*call)(void), int ncalls)
{
    double ns = 0;
    for (int i = 0; i < WARM_UP; i++)
        ns = batch_ns(call, ncalls);
    shmem_barrier_all();
    if (shmem_my_pe() == 0) {
        double fit = opts->budget_ms * 1e6 / ns;
        long nbatches = fit < 10 ? 10 : fit > 4000 ? 4000 : (long)fit;
        for (int pe = 0; pe < shmem_n_pes(); pe++)
            shmem_long_p(nbatches_shared, nbatches, pe);
    }
    shmem_barrier_all();
    return *nbatches_shared;
}

/** `each`: operations of a call. */
static void measure(const struct bench_opts *opts, const char *op, void (*call)(void), int each,
                    struct bench_series *series)
{
    if (!bench_wants(opts, op))
        return;
    int ncalls = nelems >= LONG_ELEMS ? 1 : BATCH / each;
    long nbatches = agree_nbatches(opts, call, ncalls);
    for (long i = 0; i < nbatches; i++)
        bench_series_add(series, batch_ns(call, ncalls) / ncalls / each);
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

static void measure_sum(const struct bench_opts *opts, struct bench_series *series)
{
    long npes = shmem_n_pes();
    measure(opts, "sum", reduce, 1, series);
    if (bench_wants(opts, "sum"))
        expect("sum", 0, npes * (npes - 1) / 2);
}

static size_t collected_before(int pe)
{
    size_t n = 0;
    for (int i = 0; i < pe; i++)
        n += collected(i);
    return n;
}

static void measure_moves(const struct bench_opts *opts, struct bench_series *series)
{
    size_t last = (size_t)shmem_n_pes() - 1;
    measure(opts, "broadcast", broadcast_and_barrier, 1, series);
    measure(opts, "broadcasts", broadcasts, BATCH, series);
    if (shmem_my_pe() == 0)
        dst[nelems - 1] = (long)nelems - 1;  // the root's is not written
    if (bench_wants(opts, "broadcast"))
        expect("broadcast", nelems - 1, (long)nelems - 1);
    measure(opts, "fcollect", fcollect, 1, series);
    if (bench_wants(opts, "fcollect"))
        expect("fcollect", (last + 1) * nelems - 1, (long)(nelems - 1 + last));
    measure(opts, "collect", collect, 1, series);
    if (bench_wants(opts, "collect"))
        expect("collect", collected_before((int)last), (long)last);
    measure(opts, "alltoall", alltoall, 1, series);
    if (bench_wants(opts, "alltoall"))
        expect("alltoall", last * nelems, (long)((size_t)shmem_my_pe() * nelems + last));
}

int main(int argc, char **argv)
{
    struct bench_opts opts;
    struct bench_series series = {0};
    pair_start(argc, argv, &opts);
    size_t npes = (size_t)shmem_n_pes(), nblocks = npes <= MAX_PES ? npes : 1;
    src = pair_alloc(nblocks * MAX_ELEMS * sizeof *src);
    dst = pair_alloc(nblocks * MAX_ELEMS * sizeof *dst);
    nbatches_shared = pair_alloc(sizeof *nbatches_shared);
    sync_words_init();
    for (size_t i = 0; i < nblocks * MAX_ELEMS; i++)
        src[i] = (long)i + shmem_my_pe();
    shmem_barrier_all();
    measure(&opts, "barrier_all", barrier, 1, &series);
    measure(&opts, "sync_all", sync_all, 1, &series);
    for (size_t i = 0; i < sizeof SIZES / sizeof SIZES[0]; i++) {
        nelems = SIZES[i];
        if (nelems * sizeof *src > opts.max_bytes)
            break;
        measure_sum(&opts, &series);
        if (npes <= MAX_PES)
            measure_moves(&opts, &series);
    }
    pair_finish(&opts);
    return 0;
}
