// SPDX-License-Identifier: BSD-3-Clause
//
// PE 2 comes late to each barrier; others wait for a lock that PE 1 keeps.
#include <shmem.h>
#include <unistd.h>

static long lock;

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    for (int i = 0; i < 3; i++) {
        if (me == 2)
            usleep(100000);
        shmem_barrier_all();
    }
    if (me == 1)
        shmem_set_lock(&lock);
    shmem_sync_all();
    if (me == 1)
        usleep(50000);
    else
        shmem_set_lock(&lock);
    shmem_clear_lock(&lock);
    shmem_finalize();
    return 0;
}
