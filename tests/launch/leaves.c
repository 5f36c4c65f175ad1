// SPDX-License-Identifier: BSD-3-Clause
//
// leaves HOW WAIT PES MET: PEs ("1", "2,3") end without finalize while the others wait. HOW is
// "exitN", "_exitN", "kill", "abort", "stop" (which is no end), or that they lose the launcher:
// "launcher" kills its process on this host, "cut" closes the connection to it; WAIT is "barrier",
// "until" (for a word that is never written), "get" (from the last PE, from half a second later on)
// or "compute"; MET 1: all PEs have met in a barrier before; 2: those that end have read from all
// others, which thus are not connected with them, but the start is over.
#include <shmem.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static long word;

static bool ends(const char *pes)
{
    int me = shmem_my_pe();
    for (const char *p = pes; p; p = strchr(p, ','), p += p != NULL)
        if (atoi(p) == me)
            return true;
    return false;
}

static void end(const char *how)
{
    bool loses = strcmp(how, "launcher") == 0 || strcmp(how, "cut") == 0;
    usleep(loses ? 1500000 : 100000);  // nothing is asked of the launcher any more
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    fprintf(stderr, "at %.3f: PE %d\n", (double)now.tv_sec + (double)now.tv_nsec / 1e9,
            shmem_my_pe());
    if (strncmp(how, "exit", 4) == 0)
        exit(atoi(how + 4));
    if (strncmp(how, "_exit", 5) == 0)
        _exit(atoi(how + 5));
    if (strcmp(how, "launcher") == 0)
        kill(getppid(), SIGKILL);
    else if (strcmp(how, "cut") == 0)
        shutdown(atoi(getenv("PMI_FD")), SHUT_RDWR);
    else if (strcmp(how, "abort") == 0)
        abort();
    else
        raise(strcmp(how, "stop") == 0 ? SIGSTOP : SIGKILL);
}

int main(int argc, char **argv)
{
    if (argc != 5)
        return 2;
    const char *wait = argv[2];
    shmem_init();
    if (atoi(argv[4]) == 1)
        shmem_barrier_all();
    for (int pe = 0; pe < shmem_n_pes() && atoi(argv[4]) == 2 && ends(argv[3]); pe++)
        shmem_long_g(&word, pe);
    if (ends(argv[3]))
        end(argv[1]);
    if (strcmp(wait, "until") == 0)
        shmem_long_wait_until(&word, SHMEM_CMP_NE, 0);
    if (strcmp(wait, "get") == 0)
        for (usleep(500000);;)
            shmem_long_g(&word, shmem_n_pes() - 1);
    for (int i = 0; i < 600 && strcmp(wait, "compute") == 0; i++)
        usleep(100000);
    shmem_barrier_all();
    shmem_finalize();
    puts("came through");
    return 0;
}
