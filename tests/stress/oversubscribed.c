// SPDX-License-Identifier: BSD-3-Clause
//
// More PEs than cores: the median barrier stays well under a millisecond, and so do the hops of the
// median circuit of a ring of p and wait_until. Medians, since other load takes time slices.
#include "outside.h"

#define ROUNDS 400
#define LAPS 20

static long token;

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/** One circuit of the ring; starts and ends at PE 0. */
static void pass_token(long lap)
{
    int me = shmem_my_pe(), n = shmem_n_pes();
    if (me != 0)
        shmem_long_wait_until(&token, SHMEM_CMP_EQ, lap);
    shmem_long_p(&token, lap, (me + 1) % n);
    if (me == 0)
        shmem_long_wait_until(&token, SHMEM_CMP_EQ, lap);
}

int main(void)
{
    static double took[ROUNDS], laps[LAPS];
    shmem_init();
    int me = shmem_my_pe(), n = shmem_n_pes();
    for (int i = 0; i < ROUNDS; i++) {
        double t = now_s();
        shmem_barrier_all();
        took[i] = now_s() - t;
    }
    qsort(took, ROUNDS, sizeof *took, by_value);
    pass_token(1);  // makes the connections
    shmem_barrier_all();
    for (int i = 0; i < LAPS; i++) {
        double t = now_s();
        pass_token(i + 2);
        laps[i] = now_s() - t;
    }
    qsort(laps, LAPS, sizeof *laps, by_value);
    double hop = laps[LAPS / 2] / n;
    int bad = took[ROUNDS / 2] > 1e-3 || hop > 1e-3;
    if (me == 0 || bad)
        printf("%s%d PEs: barrier median %.1f us, ring %.1f us a hop\n", bad ? "FAIL: " : "", n,
               took[ROUNDS / 2] * 1e6, hop * 1e6);
    shmem_barrier_all();
    shmem_finalize();
    return bad;
}
