// SPDX-License-Identifier: BSD-3-Clause
//
// The last PE adds to a counter of PE 0, alone, while all others wait.
#include <shmem.h>
#include <stdio.h>

enum { EACH = 1000 };

static long counter;

int main(void)
{
    shmem_init();
    int me = shmem_my_pe(), wrong = 0;
    shmem_barrier_all();
    for (long i = 0; i < EACH && me == shmem_n_pes() - 1; i++)
        wrong += shmem_long_atomic_fetch_inc(&counter, 0) != i;
    shmem_barrier_all();
    wrong += me == 0 && counter != EACH;
    if (wrong)
        printf("PE %d: %d numbers came back wrong, %ld in the end\n", me, wrong, counter);
    shmem_finalize();
    return wrong != 0;
}
