// SPDX-License-Identifier: BSD-3-Clause
//
// PEs in the middle of one kind of waiting between nodes, for tests that then disturb the network
// or processes.
//   waits KIND FILE     ends in one of these:
//   put get fetch_add   the first PE's operation on the last one, which computes; begun when
//                       FILE.cut exists
//   wait_until          the first PE waits for a word that the last one, which computes, never
//                       writes
//   fed                 the last PE writes that word when FILE.cut exists, and enters a barrier
//   heard               the same as wait_until, but only the last PE has ever used the network
//   barrier             all PEs but the last, which computes
// Each PE writes its process number to FILE.PE; the last one creates FILE when all PEs have
// communicated with each other. FILE.go ends the computing in an orderly way.
#include <fcntl.h>
#include <shmem.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { LOOK_US = 5000 };

static long word[2], filled[64];
static const char *file;

static int exists(const char *ending)
{
    char path[512];
    snprintf(path, sizeof path, "%s%s", file, ending);
    return access(path, F_OK) == 0;
}

static void until(const char *ending)
{
    while (!exists(ending))
        usleep(LOOK_US);
}

static void write_pid(int me)
{
    char path[512];
    snprintf(path, sizeof path, "%s.%d", file, me);
    FILE *f = fopen(path, "w");
    if (!f || fprintf(f, "%d", (int)getpid()) < 0 || fclose(f) != 0)
        puts("FAILED: no file for the process number");
}

static void meet(int me, int n)
{
    for (int pe = 0; pe < n; pe++) {
        shmem_long_p(&filled[me], me + 1, pe);
        shmem_long_atomic_inc(&word[1], pe);
    }
    shmem_barrier_all();
    for (int pe = 0; pe < n; pe++)
        if (shmem_long_g(&filled[me], pe) != me + 1)
            printf("FAILED: a put did not arrive\n");
    shmem_barrier_all();
}

/** Only the last PE has communicated, with the first. */
static void hear(int me, int last)
{
    if (me != last)
        return;
    shmem_long_p(&filled[0], 1, 0);
    shmem_quiet();
}

static void operate(const char *kind, int last)
{
    if (strcmp(kind, "put") == 0) {
        shmem_long_p(&word[0], 1, last);
        shmem_quiet();
    } else if (strcmp(kind, "get") == 0) {
        shmem_long_g(&word[0], last);
    } else if (strcmp(kind, "fetch_add") == 0) {
        shmem_long_atomic_fetch_add(&word[0], 1, last);
    } else {
        shmem_long_wait_until(&word[0], SHMEM_CMP_NE, 0);
    }
}

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    const char *kind = argv[1];
    file = argv[2];
    shmem_init();
    int me = shmem_my_pe(), last = shmem_n_pes() - 1;
    write_pid(me);
    if (strcmp(kind, "heard") == 0)
        hear(me, last);
    else
        meet(me, last + 1);
    if (me == last)
        close(open(file, O_CREAT | O_WRONLY, 0600));
    int computes = me == last;
    if (me == last && strcmp(kind, "fed") == 0) {
        until(".cut");
        shmem_long_p(&word[0], 1, 0);
        computes = 0;
    } else if (me == 0 && strcmp(kind, "barrier") != 0) {
        if (strcmp(kind, "put") == 0 || strcmp(kind, "get") == 0 || strcmp(kind, "fetch_add") == 0)
            until(".cut");
        operate(kind, last);
    }
    if (computes)
        until(".go");
    if (computes && (strcmp(kind, "wait_until") == 0 || strcmp(kind, "heard") == 0))
        shmem_long_p(&word[0], 1, 0);
    shmem_barrier_all();
    shmem_finalize();
    puts("came through");
    return 0;
}
