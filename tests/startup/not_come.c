// SPDX-License-Identifier: BSD-3-Clause
// Where PEs share processors (CAUSEWAY_SPIN=0 says so), one that waits for a PE which has not
// started yet sleeps at once: the PEs that it would yield to wait for the same.
#include <fcntl.h>
#include <sched.h>
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { LATE_US = 300000 };
static int yields;

/** The library's calls lead here, too. */
int sched_yield(void)
{
    yields++;
    return (int)syscall(SYS_sched_yield);
}

int main(void)
{
    // the first PE to come is the last one to go on
    const int file = open("late", O_CREAT | O_EXCL, 0600);
    if (file >= 0)
        usleep(LATE_US);
    shmem_init();
    shmem_barrier_all();
    const int of_barrier = yields;
    if (of_barrier > 0)
        printf("FAIL: PE %d yielded %d times\n", shmem_my_pe(), of_barrier);
    shmem_finalize();
    return of_barrier > 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
