// SPDX-License-Identifier: BSD-3-Clause
//
// A known number of calls, then the end of the job that the argument names, of the last PE. The
// others are in a barrier, or about to be.
#include <shmem.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static long word, all[8];
static int *volatile nowhere;

static void end(const char *how)
{
    if (strcmp(how, "segv") == 0)
        *nowhere = 1;
    else if (strcmp(how, "abort") == 0)
        abort();
    else if (strcmp(how, "kill") == 0)
        kill(getpid(), SIGKILL);
    else if (strcmp(how, "global_exit") == 0)
        shmem_global_exit(3);
    else
        exit(0);
}

int main(int argc, char **argv)
{
    shmem_init();
    int me = shmem_my_pe(), npes = shmem_n_pes();
    for (int i = 0; i < 20; i++)
        shmem_long_p(&word, i, (me + 1) % npes);
    shmem_long_put(all, &word, 1, (me + 1) % npes);
    shmem_barrier_all();
    if (me < npes - 1)
        shmem_long_atomic_inc(&word, npes - 1);
    else
        shmem_long_wait_until(&word, SHMEM_CMP_EQ, 19 + npes - 1);
    if (me == npes - 1 && argc > 1)
        end(argv[1]);
    shmem_barrier_all();
    shmem_finalize();
    return 0;
}
