// SPDX-License-Identifier: BSD-3-Clause
//
// PEs that do different things for ever: 1 computes, 2 waits for a word, 3 sleeps, the others are
// in a barrier. An alarm ends a job that is not ended.
#include <shmem.h>
#include <stdio.h>
#include <unistd.h>

static int flag;
static volatile long steps;

static void compute(void)
{
    for (;;)
        steps++;
}

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    alarm(60);
    shmem_barrier_all();
    if (me == 0)
        puts("ready");
    fflush(stdout);
    if (me == 1)
        compute();
    if (me == 2)
        shmem_int_wait_until(&flag, SHMEM_CMP_EQ, 1);
    while (me == 3)
        pause();  // which a question ends
    shmem_barrier_all();
    shmem_finalize();
    return 0;
}
