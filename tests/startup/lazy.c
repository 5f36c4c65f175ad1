// SPDX-License-Identifier: BSD-3-Clause
//
// What start-up leaves for later, seen by events and not by clocks.
//
//   fabric            who has libfabric in its memory: nobody on one node; on several, after shmem_init at most the PEs that
//                     host a node server, and every other one after its first transfer to another node
//   nobarrier FILE    the PEs of the last node come to shmem_init only when every other PE has returned from it
//   early FILE        as nobarrier, and those that are early need the exchange before the late node has begun it
//   compute MS        computes for so long, then a transfer to another node; the statistics say whether it had to wait
//   rest MS           the same, asleep
#include <shmem.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static int word;

static int has_libfabric(void)
{
    char line[4096];
    int found = 0;
    FILE *f = fopen("/proc/self/maps", "r");
    while (f && fgets(line, sizeof line, f))
        found |= strstr(line, "/libfabric") != NULL;
    if (!f)
        abort();
    fclose(f);
    return found;
}

static int number(const char *name)
{
    const char *text = getenv(name);
    if (!text)
        abort();
    return atoi(text);
}

static void fabric(void)
{
    shmem_init();
    int me = shmem_my_pe(), n = shmem_n_pes(), nnodes = number("NNODES"), far = (me + n / nnodes) % n;
    int leads = me % (n / nnodes) == 0;
    if (nnodes == 1 || !leads) {
        int loaded = has_libfabric();
        printf("PE %d after init: %s\n", me, loaded ? "FAIL: libfabric is loaded" : "no libfabric");
    }
    shmem_int_p(&word, me, far);
    shmem_quiet();
    if (nnodes > 1)
        printf("PE %d after a transfer: %s\n", me, has_libfabric() ? "libfabric" : "FAIL: no libfabric");
    shmem_barrier_all();
    if (nnodes == 1)
        printf("PE %d at the end: %s\n", me, has_libfabric() ? "FAIL: libfabric is loaded" : "no libfabric");
    shmem_finalize();
}

/** The size of the file: one byte for every PE that has returned. */
static long returned(const char *path)
{
    FILE *f = fopen(path, "r");
    long n = 0;
    while (f && fgetc(f) != EOF)
        n++;
    if (f)
        fclose(f);
    return n;
}

static void await_returned(const char *path, long n)
{
    struct timespec nap = {0, 5000000};
    while (returned(path) < n)
        nanosleep(&nap, NULL);
}

static void say_returned(const char *path)
{
    FILE *f = fopen(path, "a");
    if (!f || fputc('.', f) == EOF || fclose(f))
        abort();
}

static void nobarrier(const char *path, int need_early)
{
    int n = number("OSHRUN_NPES"), per_node = n / number("NNODES"), me = number("OSHRUN_PE");
    int late = me >= n - per_node;
    if (late)
        await_returned(path, n - per_node);
    shmem_init();
    if (!late)
        say_returned(path);
    if (need_early || late)
        shmem_int_p(&word, me, (me + per_node) % n);
    shmem_barrier_all();
    printf("PE %d returned %s\n", me, late ? "late" : "early");
    shmem_finalize();
}

static void compute(long ms)
{
    struct timespec now, end;
    volatile uint64_t work = 0;
    clock_gettime(CLOCK_MONOTONIC, &end);
    end.tv_sec += ms / 1000;
    end.tv_nsec += ms % 1000 * 1000000;
    do {
        for (int i = 0; i < 10000; i++)
            work += (uint64_t)i;
        clock_gettime(CLOCK_MONOTONIC, &now);
    } while ((now.tv_sec - end.tv_sec) * 1000000000L + now.tv_nsec - end.tv_nsec < 0);
}

static void hide(long ms, int awake)
{
    struct timespec nap = {ms / 1000, ms % 1000 * 1000000};
    shmem_init();
    if (awake)
        compute(ms);
    else
        nanosleep(&nap, NULL);
    int n = shmem_n_pes(), me = shmem_my_pe();
    shmem_int_p(&word, me, (me + n / number("NNODES")) % n);
    shmem_barrier_all();
    shmem_finalize();
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "fabric") == 0)
        fabric();
    else if (argc > 2 && strcmp(argv[1], "nobarrier") == 0)
        nobarrier(argv[2], 0);
    else if (argc > 2 && strcmp(argv[1], "early") == 0)
        nobarrier(argv[2], 1);
    else if (argc > 2 && strcmp(argv[1], "compute") == 0)
        hide(atol(argv[2]), 1);
    else if (argc > 2 && strcmp(argv[1], "rest") == 0)
        hide(atol(argv[2]), 0);
    else
        return 2;
    return 0;
}
