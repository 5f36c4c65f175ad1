/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A program in the style before the specification: mpp/shmem.h, start_pes, names without shmem_,
 * active sets, cache routines, declarations first. */
#include <mpp/shmem.h>
#include <stdio.h>
#include <stdlib.h>

#include "frame/check.h"

#define N 16

long pSync[_SHMEM_REDUCE_SYNC_SIZE];
long bSync[_SHMEM_BCAST_SYNC_SIZE];
int pWrk[N / 2 + 1 > _SHMEM_REDUCE_MIN_WRKDATA_SIZE ? N / 2 + 1 : _SHMEM_REDUCE_MIN_WRKDATA_SIZE];
int source[N], sums[N];
long message[N], copy[N];
short flag;
int counter;

int main()
{
    int me, npes, next, i;
    long *block;

    start_pes(0);
    me = _my_pe();
    npes = _num_pes();
    next = (me + 1) % npes;
    check_as("PE", me, npes);

    for (i = 0; i < _SHMEM_REDUCE_SYNC_SIZE; i++)
        pSync[i] = _SHMEM_SYNC_VALUE;
    for (i = 0; i < _SHMEM_BCAST_SYNC_SIZE; i++)
        bSync[i] = _SHMEM_SYNC_VALUE;
    for (i = 0; i < N; i++) {
        source[i] = me + i;
        message[i] = me * 1000 + i;
    }
    block = (long *)shmalloc(N * sizeof(long));
    block = (long *)shrealloc(block, 2 * N * sizeof(long));
    shmem_barrier_all();

    shmem_int_sum_to_all(sums, source, N, 0, 0, npes, pWrk, pSync);
    for (i = 0; i < N; i++)
        CHECK(sums[i] == npes * (npes - 1) / 2 + npes * i);

    shmem_long_put(block, message, N, next);
    shmem_barrier_all();
    shmem_udcflush();
    shmem_clear_cache_line_inv(block);
    CHECK(block[N - 1] == (me + npes - 1) % npes * 1000 + N - 1);

    shmem_broadcast64(copy, message, N, 0, 0, 0, npes, bSync);
    CHECK(me == 0 || copy[3] == 3);

    shmem_int_inc(&counter, 0);
    (void)shmem_int_fadd(&counter, 2, 0);
    shmem_barrier_all();
    CHECK(shmem_int_fetch(&counter, 0) == 3 * npes);
    shmem_barrier_all();
    if (me == 0)
        CHECK(shmem_int_cswap(&counter, 3 * npes, 7, 0) == 3 * npes);
    shmem_barrier_all();
    CHECK(shmem_int_g(&counter, 0) == 7);

    shmem_short_p(&flag, 1, next);
    shmem_short_wait(&flag, 0);
    CHECK(flag == 1);

    shmem_barrier_all();
    shfree(block);
    return checks_failed != 0; /* no finalize: the end of the program does it */
}
