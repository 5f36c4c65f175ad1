// SPDX-License-Identifier: BSD-3-Clause
/*
 * What does it cost to start? --mode 0: hello, to be timed from outside, with each PE's time inside
 * shmem_init; --mode 1: that, time until all have met in a first barrier ("ready"), and memory a
 * PE.
 */
#include "common.h"

#include <shmem.h>
#include <stdio.h>
#include <string.h>

enum { MAX_PES = 4096 };

// symmetric; only PE 0's copies are filled
static double init_ms[MAX_PES], ready_ms[MAX_PES], pss_kib[MAX_PES];

static void report(const struct bench_opts *opts)
{
    struct bench_series series = {0};
    int npes = shmem_n_pes();
    for (int pe = 0; pe < npes; pe++)
        bench_series_add(&series, init_ms[pe]);
    bench_emit(opts, "startup", "init", 0, "ms", &series);
    for (int pe = 0; pe < npes; pe++)
        bench_series_add(&series, ready_ms[pe]);
    bench_emit(opts, "startup", "ready", 0, "ms", &series);
    for (int pe = 0; pe < npes; pe++)
        bench_series_add(&series, pss_kib[pe]);
    bench_emit(opts, "startup", "pss", 0, "KiB", &series);
}

int main(int argc, char **argv)
{
    struct bench_opts opts;
    bench_parse(argc, argv, &opts);
    uint64_t start = bench_now_ns();
    shmem_init();
    double ms = (double)(bench_now_ns() - start) / 1e6;
    int me = shmem_my_pe(), npes = shmem_n_pes();
    if (opts.mode == 0) {
        printf("hello from %d of %d, %.4f ms in shmem_init\n", me, npes, ms);
    } else if (npes <= MAX_PES) {
        shmem_barrier_all();
        double ready = (double)(bench_now_ns() - start) / 1e6;
        double kib = bench_pss_kib();
        shmem_barrier_all(); // pages shared by all PEs count in parts only while all PEs live
        shmem_double_p(&init_ms[me], ms, 0);
        shmem_double_p(&ready_ms[me], ready, 0);
        shmem_double_p(&pss_kib[me], kib, 0);
        shmem_barrier_all();
        if (me == 0)
            report(&opts);
    }
    shmem_finalize();
    return 0;
}
