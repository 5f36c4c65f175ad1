// SPDX-License-Identifier: BSD-3-Clause
//
// leaves HOW WAIT PE MET: a PE ends without finalize while the others wait. HOW is "exitN",
// "_exitN" or "kill"; WAIT is "barrier", "until" (for a word that is never written) or "compute";
// MET 1: all PEs have met in a barrier before.
#include <shmem.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static long word;

static void end(const char *how)
{
    usleep(100000);
    if (strncmp(how, "exit", 4) == 0)
        exit(atoi(how + 4));
    if (strncmp(how, "_exit", 5) == 0)
        _exit(atoi(how + 5));
    raise(SIGKILL);
}

int main(int argc, char **argv)
{
    if (argc != 5)
        return 2;
    const char *wait = argv[2];
    shmem_init();
    if (atoi(argv[4]))
        shmem_barrier_all();
    if (shmem_my_pe() == atoi(argv[3]))
        end(argv[1]);
    if (strcmp(wait, "until") == 0)
        shmem_long_wait_until(&word, SHMEM_CMP_NE, 0);
    for (int i = 0; i < 600 && strcmp(wait, "compute") == 0; i++)
        usleep(100000);
    shmem_barrier_all();
    shmem_finalize();
    puts("came through");
    return 0;
}
