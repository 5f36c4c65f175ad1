// SPDX-License-Identifier: BSD-3-Clause
//
// How long after a put does a PE that sleeps in wait_until go on, and how long does a barrier take
// whose last PE comes late? Two PEs, one clock; prints the medians in microseconds.
#include <shmem.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { ROUNDS = 25, ASLEEP_US = 60000 };

static uint64_t sent;  // when the other PE put it
static double took[ROUNDS];

static uint64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void print_median(const char *what)
{
    qsort(took, ROUNDS, sizeof took[0], by_value);
    printf("%s %.0f\n", what, took[ROUNDS / 2]);
    fflush(stdout);
}

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    for (int i = 0; i < ROUNDS; i++) {
        sent = 0;
        shmem_barrier_all();
        if (me == 0) {
            usleep(ASLEEP_US);
            shmem_uint64_p(&sent, now_ns(), 1);
        } else {
            shmem_uint64_wait_until(&sent, SHMEM_CMP_NE, 0);
            took[i] = (double)(now_ns() - sent) / 1e3;
        }
        shmem_barrier_all();
    }
    if (me == 1)
        print_median("wait_until");
    for (int i = 0; i < ROUNDS; i++) {
        shmem_barrier_all();
        if (me == 0)
            usleep(ASLEEP_US);
        uint64_t came = now_ns();
        if (me == 0)
            shmem_uint64_p(&sent, came, 1);
        shmem_barrier_all();
        took[i] = (double)(now_ns() - sent) / 1e3;
    }
    if (me == 1)
        print_median("barrier");
    shmem_finalize();
    return 0;
}
