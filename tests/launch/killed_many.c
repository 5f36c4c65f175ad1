// SPDX-License-Identifier: BSD-3-Clause
//
// All PEs meet; then the one in the middle, which hosts the server of a node, is killed, while the
// others wait in a barrier.
#include <shmem.h>
#include <signal.h>
#include <stdio.h>

int main(void)
{
    shmem_init();
    shmem_barrier_all();
    if (shmem_my_pe() == shmem_n_pes() / 2) {
        puts("killed now");
        fflush(stdout);
        raise(SIGKILL);
    }
    shmem_barrier_all();
    puts("the barrier has ended");
    shmem_finalize();
    return 0;
}
