// SPDX-License-Identifier: BSD-3-Clause
// How long from a shmem_p on one PE to the return of the shmem_wait_until on another? Half of a
// round trip.
#include "pair.h"

#include <limits.h>

static long *flag; // in the symmetric heap

static void round_trips(void *ctx, size_t count)
{
    long *turn = ctx;
    while (count--) {
        ++*turn;
        shmem_long_p(flag, *turn, 1);
        shmem_long_wait_until(flag, SHMEM_CMP_GE, *turn);
    }
}

static void echo(void)
{
    for (long turn = 1;; turn++) {
        shmem_long_wait_until(flag, SHMEM_CMP_GE, turn);
        if (*(volatile long *)flag == LONG_MAX)
            return;
        shmem_long_p(flag, turn, 0);
    }
}

int main(int argc, char **argv)
{
    struct bench_opts opts;
    struct bench_series series = {0};
    pair_start(argc, argv, &opts);
    flag = pair_alloc(4096);
    *flag = 0;
    shmem_barrier_all();
    opts.budget_ms *= 4; // a single line, and the noisiest
    if (pair_is_origin()) {
        long turn = 0;
        bench_measure(&opts, round_trips, NULL, &turn, &series);
        for (size_t i = 0; i < series.n; i++)
            series.v[i] /= 2;
        bench_emit(&opts, "pingpong", "p_wait", 8, "ns", &series);
        shmem_long_p(flag, LONG_MAX, 1);
    } else if (shmem_my_pe() == 1) {
        echo();
    }
    pair_finish(&opts);
    return 0;
}
