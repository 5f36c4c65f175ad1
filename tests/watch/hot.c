// SPDX-License-Identifier: BSD-3-Clause
//
// All PEs but those of PE 0's node add to one counter of PE 0, one by one.
#include <shmem.h>
#include <stdio.h>

enum { EACH = 50 };

static long counter, before = -1;

int main(void)
{
    shmem_init();
    int me = shmem_my_pe(), wrong = 0;
    int others = shmem_n_pes() - shmem_team_n_pes(SHMEM_TEAM_SHARED);
    shmem_barrier_all();
    for (int i = 0; i < EACH && !shmem_ptr(&counter, 0); i++) {
        long old = shmem_long_atomic_fetch_inc(&counter, 0);
        wrong += old <= before;
        before = old;
    }
    shmem_barrier_all();
    wrong += me == 0 && counter != (long)EACH * others;
    if (wrong)
        printf("PE %d: %d numbers came back wrong, %ld in the end\n", me, wrong, counter);
    shmem_finalize();
    return wrong != 0;
}
