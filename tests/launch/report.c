// SPDX-License-Identifier: BSD-3-Clause
//
// PEs that do different things for ever: 1 computes, 2 waits for a word, 3 sleeps, the others are
// in a barrier. An alarm ends a job that is not ended. With "late" PE 0 stops, and PE 1 joins when
// PE 0 has been asked what it does; with "short" all sleep once, and end.
#include <shmem.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "frame/small_stack.h"

static int flag;
static volatile long steps;

static void compute(void)
{
    for (;;)
        steps++;
}

/** SIGURG waits for PE 0 to go on. */
static int is_asked(void)
{
    char path[64], line[128];
    unsigned long long pending = 0;
    long pid = 0;
    FILE *file = fopen("late.pid", "r");
    if (!file || fscanf(file, "%ld\n", &pid) != 1)
        pid = 0;
    if (file)
        fclose(file);
    snprintf(path, sizeof path, "/proc/%ld/status", pid);
    file = pid ? fopen(path, "r") : NULL;
    while (file && fgets(line, sizeof line, file) && sscanf(line, "ShdPnd: %llx", &pending) != 1)
        ;
    if (file)
        fclose(file);
    return (int)(pending >> (SIGURG - 1) & 1);
}

static void join_late(void)
{
    const char *pe = getenv("OSHRUN_PE");
    alarm(60);
    while (pe && strcmp(pe, "0") != 0 && !is_asked())
        usleep(1000);
    shmem_init();
    if (shmem_my_pe() == 0) {
        FILE *file = fopen("late.pid", "w");
        if (!file || fprintf(file, "%ld\n", (long)getpid()) < 0 || fclose(file) != 0)
            shmem_global_exit(1);
        puts("ready");
        fflush(stdout);
        raise(SIGSTOP);
    }
    compute();
}

int main(int argc, char **argv)
{
#ifdef SMALL_STACK
    small_stack();
#endif
    if (argc > 1 && strcmp(argv[1], "late") == 0)
        join_late();
    shmem_init();
    int me = shmem_my_pe();
    alarm(60);
    shmem_barrier_all();
    if (me == 0)
        puts("ready");
    fflush(stdout);
    if (argc > 1) {
        sleep(60);
        return 0;
    }
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
