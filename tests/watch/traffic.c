// SPDX-License-Identifier: BSD-3-Clause
//
// A known amount of traffic, which expected.py computes. Every PE does the same, relative to its
// number.
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>

static int ints[64];
static long sum, counter;
static uint64_t sig;
static char buffer[8192];

int main(void)
{
    static char mine[8192];
    static long fetched[2];
    shmem_init();
    int me = shmem_my_pe(), n = shmem_n_pes(), right = (me + 1) % n, left = (me + n - 1) % n;
    long *heap = shmem_malloc(1 << 16);
    for (int i = 0; i < 10; i++)
        shmem_int_p(&ints[i], i, right);
    for (int i = 0; i < 3; i++)
        shmem_putmem(buffer, mine, 1000, right);
    for (int i = 0; i < 2; i++)
        shmem_putmem_nbi(heap, mine, 5000, left);
    shmem_quiet();
    for (int i = 0; i < 4; i++)
        sum += shmem_long_g(&counter, right);
    for (int i = 0; i < 2; i++)
        shmem_getmem(mine, heap, 2000, 0);
    shmem_getmem_nbi(mine, heap + 512, 640, left);
    shmem_quiet();
    shmem_int_iput(ints + 16, (int *)(void *)mine, 2, 1, 7, right);
    shmem_int_iget((int *)(void *)mine, ints + 16, 1, 2, 9, left);
    for (int i = 0; i < 5; i++)
        sum += shmem_long_atomic_fetch_add(&counter, 1, 0);
    for (int i = 0; i < 6; i++)
        shmem_long_atomic_add(&counter, 1, right);
    for (int i = 0; i < 2; i++)
        shmem_long_atomic_fetch_add_nbi(&fetched[i], &counter, 1, left);
    shmem_quiet();
    shmem_putmem_signal(buffer + 4096, mine, 100, &sig, 1, SHMEM_SIGNAL_SET, right);
    shmem_signal_wait_until(&sig, SHMEM_CMP_EQ, 1);
    for (int i = 0; i < 3; i++)
        shmem_barrier_all();
    shmem_long_sum_reduce(SHMEM_TEAM_WORLD, heap, heap + 64, 8);
    shmem_free(heap);
    if (me == 0)
        puts("traffic done");
    shmem_finalize();
    return 0;
}
