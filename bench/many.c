// SPDX-License-Identifier: BSD-3-Clause
/*
 * What do many PEs cost each other, best run with one on each core? How long after the arrival of a
 * late PE does the last one leave a barrier; how long is a hop of a token round all PEs; how long
 * does it take until PE 0 has a word of each and each has one of PE 0; what does one of many
 * fetch_adds on a single word take, and one section of a lock that all PEs want; one of many puts
 * to random words of random PEs; how many bytes a second do all pairs move at once?
 */
#include "pair.h"

enum {
    LATE_NS = 1000000,
    TURNS = 20,       // of a token, of fans: in a sample
    UPDATES = 2000,   // of each PE, in a sample
    SECTIONS = 100,   // of a lock, likewise
    WORDS = 1 << 14,  // that puts go to, of each PE
    LONG = 1 << 20,   // bytes of the puts of pairs
    WINDOW = 16,
};

static struct places {
    long *token, *go, *counter, *lock, *nsamples;
    long *arrived, *left;  // in PE 0: for each PE, a time
    long *words;
    char *from, *to;
} at;
static struct bench_opts opts;
static int me, npes;
static long turn;  // of the token and of fans: the words are never reset

static void compute_ns(uint64_t ns)
{
    for (uint64_t end = bench_now_ns() + ns; bench_now_ns() < end;)
        ;
}

/** How long after the last arrival the last PE left: at PE 0, which hears of all. Clocks are those
 *  of one machine. */
static double late_barrier(void)
{
    if (me == npes - 1)
        compute_ns(LATE_NS);
    long arrived = (long)bench_now_ns();
    shmem_barrier_all();
    long left = (long)bench_now_ns();
    shmem_long_p(at.arrived + me, arrived, 0);
    shmem_long_p(at.left + me, left, 0);
    shmem_barrier_all();
    long all_here = 0, all_gone = 0;
    for (int pe = 0; pe < npes; pe++) {
        all_here = at.arrived[pe] > all_here ? at.arrived[pe] : all_here;
        all_gone = at.left[pe] > all_gone ? at.left[pe] : all_gone;
    }
    shmem_barrier_all();
    return (double)(all_gone - all_here);
}

static double ring(void)
{
    uint64_t start = bench_now_ns();
    for (int i = 0; i < TURNS; i++, turn++) {
        if (me > 0)
            shmem_long_wait_until(at.token, SHMEM_CMP_GE, turn + 1);
        shmem_long_p(at.token, turn + 1, (me + 1) % npes);
        if (me == 0)
            shmem_long_wait_until(at.token, SHMEM_CMP_GE, turn + 1);
    }
    return (double)(bench_now_ns() - start) / TURNS / npes;
}

static double fan(void)
{
    uint64_t start = bench_now_ns();
    for (int i = 0; i < TURNS; i++, turn++) {
        if (me > 0) {
            shmem_long_p(at.arrived + me, turn + 1, 0);
            shmem_long_wait_until(at.go, SHMEM_CMP_GE, turn + 1);
            continue;
        }
        for (int pe = 1; pe < npes; pe++)
            shmem_long_wait_until(at.arrived + pe, SHMEM_CMP_GE, turn + 1);
        for (int pe = 1; pe < npes; pe++)
            shmem_long_p(at.go, turn + 1, pe);
    }
    shmem_quiet();
    return (double)(bench_now_ns() - start) / TURNS;
}

static double contended(void)
{
    uint64_t start = bench_now_ns();
    for (int i = 0; i < UPDATES; i++)
        shmem_long_atomic_fetch_add(at.counter, 1, 0);
    shmem_barrier_all();
    return (double)(bench_now_ns() - start) / UPDATES / npes;
}

#ifndef BENCH_MPI_SHMEM_H
static double locked(void)
{
    uint64_t start = bench_now_ns();
    for (int i = 0; i < SECTIONS; i++) {
        shmem_set_lock(at.lock);
        shmem_clear_lock(at.lock);
    }
    shmem_barrier_all();
    return (double)(bench_now_ns() - start) / SECTIONS / npes;
}
#endif

static double random_puts(void)
{
    static uint64_t seed;
    uint64_t start = bench_now_ns();
    seed += (uint64_t)me + 1;
    for (long i = 0; i < UPDATES; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        shmem_long_p(at.words + (seed >> 40) % WORDS, i, (int)((seed >> 33) % (uint64_t)npes));
    }
    shmem_barrier_all();
    return (double)(bench_now_ns() - start) / UPDATES;
}

/** Nanoseconds a byte, of all PEs together: each one of the lower half puts to one of the upper. */
static double pairs(void)
{
    int half = npes / 2;
    uint64_t start = bench_now_ns();
    if (me < half) {
        for (int i = 0; i < WINDOW; i++)
            shmem_putmem_nbi(at.to, at.from, LONG, me + half);
        shmem_quiet();
    }
    shmem_barrier_all();
    return (double)(bench_now_ns() - start) / WINDOW / LONG / half;
}

static void measure(const char *op, size_t nbytes, const char *unit, double (*sample)(void))
{
    struct bench_series series = {0};
    if (!bench_wants(&opts, op))
        return;
    uint64_t start = bench_now_ns();
    sample();
    shmem_barrier_all();
    if (me == 0) {
        double fit = opts.budget_ms * 1e6 / (double)(bench_now_ns() - start);
        long n = fit < 5 ? 5 : fit > 1000 ? 1000 : (long)fit;
        for (int pe = 0; pe < npes; pe++)
            shmem_long_p(at.nsamples, n, pe);
    }
    shmem_barrier_all();
    for (long i = *at.nsamples; i > 0; i--) {
        double ns = sample();
        bench_series_add(&series, strcmp(unit, "GB/s") == 0 ? 1 / ns : ns);
        shmem_barrier_all();
    }
    if (me == 0)
        bench_emit(&opts, "many", op, nbytes, unit, &series);
    bench_series_clear(&series);
}

static void expect(const char *what, long is, long ought)
{
    if (is == ought)
        return;
    fprintf(stderr, "many: PE %d: %s is %ld, not %ld\n", me, what, is, ought);
    shmem_global_exit(1);
}

static long *words_of(size_t n)
{
    long *words = pair_alloc(n * sizeof *words);
    memset(words, 0, n * sizeof *words);
    return words;
}

int main(int argc, char **argv)
{
    pair_start(argc, argv, &opts);
    me = shmem_my_pe();
    npes = shmem_n_pes();
    at = (struct places){.token = words_of(1),
                         .go = words_of(1),
                         .counter = words_of(1),
                         .lock = words_of(1),
                         .nsamples = words_of(1),
                         .arrived = words_of((size_t)npes),
                         .left = words_of((size_t)npes),
                         .words = words_of(WORDS),
                         .from = pair_alloc(LONG),
                         .to = pair_alloc(LONG)};
    shmem_barrier_all();
    measure("ring_hop", 8, "ns", ring);
    measure("fan", 8, "ns", fan);
    measure("contended_fetch_add", 8, "ns", contended);
    if (bench_wants(&opts, "contended_fetch_add"))
        expect("what all have added", shmem_long_atomic_fetch_add(at.counter, 0, 0),
               (*at.nsamples + 1) * UPDATES * npes);
#ifndef BENCH_MPI_SHMEM_H
    measure("lock", 8, "ns", locked);
#endif
    measure("random_puts", 8, "ns", random_puts);
    if (opts.max_bytes >= LONG)
        measure("pairs", LONG, "GB/s", pairs);
    shmem_barrier_all();
    measure("late_barrier", 0, "ns", late_barrier);
    pair_finish(&opts);
    return 0;
}
