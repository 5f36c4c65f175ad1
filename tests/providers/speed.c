// SPDX-License-Identifier: BSD-3-Clause
//
// What three kinds of operation take from PE 0 to PE 1, which computes nothing: medians in
// microseconds. The matrix of providers shows them as ratios.
#include <shmem.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { ROUNDS = 200, WARM = 20 };

static long word, count;
static double took[ROUNDS];

static double now_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void put_quiet(void)
{
    shmem_long_p(&word, 1, 1);
    shmem_quiet();
}

static void get(void)
{
    (void)shmem_long_g(&word, 1);
}

static void fetch_add(void)
{
    (void)shmem_long_atomic_fetch_add(&count, 1, 1);
}

static void measure(const char *what, void (*operation)(void))
{
    for (int i = -WARM; i < ROUNDS; i++) {
        double start = now_us();
        operation();
        if (i >= 0)
            took[i] = now_us() - start;
    }
    qsort(took, ROUNDS, sizeof took[0], by_value);
    printf("%s %.2f\n", what, took[ROUNDS / 2]);
}

int main(void)
{
    shmem_init();
    if (shmem_my_pe() == 0) {
        measure("put_quiet", put_quiet);
        measure("get", get);
        measure("fetch_add", fetch_add);
    }
    shmem_barrier_all();
    shmem_finalize();
    return 0;
}
