// SPDX-License-Identifier: BSD-3-Clause
//
// The smallest job between nodes: each PE puts to its neighbour.
#include <shmem.h>
#include <stdio.h>

static int from_left;

int main(void)
{
    shmem_init();
    int me = shmem_my_pe(), n = shmem_n_pes();
    shmem_int_p(&from_left, me + 1, (me + 1) % n);
    shmem_barrier_all();
    printf("PE %d of %d: %d\n", me, n, from_left);
    shmem_finalize();
    return from_left == (me + n - 1) % n + 1 ? 0 : 1;
}
