// SPDX-License-Identifier: BSD-3-Clause
//
// cause HOW: the first PE of the last node ends in the middle of the others' transfers. HOW is
// "wait" (until it is killed), "kill" (it kills itself), "left" (status 0 without finalize),
// "wrong" (status 9), "asked" (shmem_global_exit(3)) or "error" (the library ends the job).
#include <shmem.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NBYTES = 1 << 20 };

static void end(const char *how)
{
    if (!strcmp(how, "wait"))
        for (puts("ready"), fflush(stdout);;)
            pause();
    usleep(2000);
    if (!strcmp(how, "kill"))
        raise(SIGKILL);
    if (!strcmp(how, "left"))
        _exit(0);
    if (!strcmp(how, "wrong"))
        _exit(9);
    if (!strcmp(how, "error"))
        shmem_putmem(NULL, "", 1, shmem_n_pes());
    shmem_global_exit(3);
}

int main(int argc, char **argv)
{
    shmem_init();
    int me = shmem_my_pe(), victim = shmem_n_pes() / 2;
    char *far = shmem_malloc(NBYTES), *own = malloc(NBYTES);
    memset(far, 1, NBYTES);
    shmem_barrier_all();
    if (me == victim)
        end(argc > 1 ? argv[1] : "kill");
    for (;;)
        shmem_getmem(own, far, NBYTES, victim);
}
