// SPDX-License-Identifier: BSD-3-Clause
//
// PEs 0 and 1 each take a lock, and then wait for the other's; PE 2 computes.
#include <shmem.h>
#include <stdio.h>
#include <unistd.h>

static long locks[2];

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    if (me < 2)
        shmem_set_lock(&locks[me]);
    shmem_barrier_all();
    if (me < 2)
        shmem_set_lock(&locks[1 - me]);  // never given
    sleep(30);
    printf("FAIL: the job went on\n");
    return 0;
}
