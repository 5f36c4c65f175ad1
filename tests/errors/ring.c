// SPDX-License-Identifier: BSD-3-Clause
//
// A small program that communicates with its neighbour, for the error cases. In a healthy job it
// prints "ring done".
#include <shmem.h>
#include <stdio.h>

static long from_left;

int main(void)
{
    shmem_init();
    int me = shmem_my_pe(), n = shmem_n_pes();
    shmem_long_p(&from_left, me + 1, (me + 1) % n);
    shmem_barrier_all();
    int bad = from_left != (me + n - 1) % n + 1;
    if (me == 0)
        puts(bad ? "ring wrong" : "ring done");
    shmem_finalize();
    return bad;
}
