// SPDX-License-Identifier: BSD-3-Clause
/*
 * A token goes round all PEs, in two rounds: does a job of this size start, connect and finish? PE
 * 0 prints the time from the first put to the token's return. --mode N: every PE computes for N
 * milliseconds between shmem_init and its first transfer, so that what happens beside (the exchange
 * of addresses) can be looked at.
 */
#include "common.h"

#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROUNDS = 2 };

static long token; // symmetric

static void compute(int ms)
{
    volatile double x = 1;
    uint64_t end = bench_now_ns() + (uint64_t)ms * 1000000;
    while (bench_now_ns() < end)
        for (int i = 0; i < 1000; i++)
            x = x * 1.0000001 + 1e-9;
}

int main(int argc, char **argv)
{
    struct bench_opts opts;
    bench_parse(argc, argv, &opts);
    shmem_init();
    int me = shmem_my_pe(), npes = shmem_n_pes(), right = (me + 1) % npes;
    compute(opts.mode);
    double start = (double)bench_now_ns();
    for (long round = 0; round < ROUNDS; round++) {
        long mine = round * npes + me; // puts before this one
        if (mine > 0)
            shmem_long_wait_until(&token, SHMEM_CMP_GE, mine);
        shmem_long_p(&token, mine + 1, right);
        shmem_quiet();
    }
    if (me == 0) {
        shmem_long_wait_until(&token, SHMEM_CMP_GE, (long)ROUNDS * npes);
        struct bench_series series = {0};
        bench_series_add(&series, ((double)bench_now_ns() - start) / 1e6);
        bench_emit(&opts, "startup", "ring", 0, "ms", &series);
    }
    shmem_finalize();
    return EXIT_SUCCESS;
}
