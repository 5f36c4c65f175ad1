// SPDX-License-Identifier: BSD-3-Clause
//
// Each PE puts its number to the next one and prints what arrived. C and C++.
#include <shmem.h>
#include <stdio.h>

static int received = -1;

int main(void)
{
    shmem_init();
    int me = shmem_my_pe(), npes = shmem_n_pes();
    shmem_int_p(&received, me, (me + 1) % npes);
    shmem_barrier_all();
    printf("PE %d of %d received %d\n", me, npes, received);
    int good = received == (me + npes - 1) % npes;
    shmem_finalize();
    return good ? 0 : 1;
}
