// SPDX-License-Identifier: BSD-3-Clause
/*
 * What do waits cost beside programs that compute? The driver runs this program alone and beside
 * one loop for each core. A wait takes microseconds or, where it ends behind a time slice of such a
 * loop, milliseconds. So a sample is the mean of all within a time that is long beside slices: it
 * would otherwise show the luck of PEs that spin, and that run at the same time for one slice.
 */
#include "pair.h"

#include <stdbool.h>

enum {
    BATCH = 100,           // calls between two looks at the clock
    SAMPLE_NS = 60000000,  // some slices of each loop
    QUICK_NS = 5000000
};

static long *flag;  // in the symmetric heap
static long turn, sum_src = 1, sum_dst;
static long goes_on;  // PE 0's decision, for all
static long sync_words[2][SHMEM_REDUCE_SYNC_SIZE];
static long work[2][SHMEM_REDUCE_MIN_WRKDATA_SIZE];

static void barriers(void)
{
    for (int i = 0; i < BATCH; i++)
        shmem_barrier_all();
}

static void sums(void)
{
    for (int i = 0; i < BATCH; i++)
        shmem_long_sum_to_all(&sum_dst, &sum_src, 1, 0, 0, shmem_n_pes(), work[i % 2],
                              sync_words[i % 2]);
}

static void await(void)
{
    shmem_long_wait_until(flag, SHMEM_CMP_EQ, turn);
}

static void test_until(void)
{
    while (!shmem_long_test(flag, SHMEM_CMP_EQ, turn))
        ;
}

/** Round trips of the first two PEs. */
static void take_turns(void (*wait)(void))
{
    int me = shmem_my_pe();
    for (int i = 0; me < 2 && i < BATCH; i++) {
        turn++;
        if (me == 0)
            shmem_long_p(flag, turn, 1);
        wait();
        if (me == 1)
            shmem_long_p(flag, turn, 0);
    }
    shmem_barrier_all();
}

static void waits(void)
{
    take_turns(await);
}

static void tests(void)
{
    take_turns(test_until);
}

static void gets(void)
{
    for (int i = 0; shmem_my_pe() == 0 && i < BATCH; i++)
        shmem_long_g(flag, shmem_n_pes() - 1);
    shmem_barrier_all();
}

/** The mean of one call, in ns, over sample_ns. */
static double sample(void (*calls)(void), uint64_t sample_ns)
{
    uint64_t start = bench_now_ns(), ncalls = 0, taken_ns;
    do {
        calls();
        ncalls += BATCH;
        taken_ns = bench_now_ns() - start;
        for (int pe = 0; shmem_my_pe() == 0 && pe < shmem_n_pes(); pe++)
            shmem_long_p(&goes_on, taken_ns < sample_ns, pe);
        shmem_barrier_all();
    } while (goes_on);
    return (double)taken_ns / (double)ncalls;
}

static void measure(const struct bench_opts *opts, const char *op, void (*calls)(void),
                    struct bench_series *series)
{
    if (!bench_wants(opts, op))
        return;
    bool quick = opts->budget_ms < 20;
    int nsamples = quick ? 3 : 10;  // and not a time, on which the PEs would have to agree
    calls();
    for (int i = 0; i < nsamples; i++)
        bench_series_add(series, sample(calls, quick ? QUICK_NS : SAMPLE_NS));
    if (pair_is_origin())
        bench_emit(opts, "beside", op, 8, "ns", series);
    bench_series_clear(series);
}

int main(int argc, char **argv)
{
    struct bench_opts opts;
    struct bench_series series = {0};
    pair_start(argc, argv, &opts);
    for (int set = 0; set < 2; set++)
        for (int i = 0; i < SHMEM_REDUCE_SYNC_SIZE; i++)
            sync_words[set][i] = SHMEM_SYNC_VALUE;
    flag = pair_alloc(4096);
    *flag = 0;
    shmem_barrier_all();
    measure(&opts, "barriers", barriers, &series);
    measure(&opts, "sums", sums, &series);
    measure(&opts, "waits", waits, &series);
    measure(&opts, "tests", tests, &series);
    measure(&opts, "gets", gets, &series);
    pair_finish(&opts);
    return 0;
}
