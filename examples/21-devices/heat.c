// SPDX-License-Identifier: BSD-3-Clause
//
// The heat equation on a plate in slabs, one a PE, on devices. README.md has the discussion.
#define _GNU_SOURCE
#include <shmem.h>
#include <shmemx.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "gpu.h"
#include "heat.h"

static uint64_t signals[2];  // symmetric: steps of the neighbour above, and of the one below
static double heat_of_pe, heat_of_all;

/** The same kernel as a C function: for drivers that call those. */
void heat_step(const void *thread, void **parameters);
void heat_step(const void *thread, void **parameters)
{
    (void)thread;
    step_slab(parameters[0], parameters[1]);
}

static double start_at(uint64_t row, uint64_t column, uint64_t n)
{
    double y = (double)row - (double)n / 2, x = (double)column - (double)n / 2;
    return x * x + y * y < (double)(n * n) / 16 ? 1 : 0;
}

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static int skip(const char *why)
{
    if (shmem_my_pe() == 0)
        printf("SKIP: %s\n", why);
    shmem_barrier_all();
    shmem_finalize();
    return 77;
}

/** The whole plate by one processor. */
static double *alone(uint64_t n, int steps)
{
    double *a = calloc((n + 2) * n, sizeof *a), *b = calloc((n + 2) * n, sizeof *b);
    if (!a || !b)
        shmem_global_exit(1);
    cwd_world_t one = {.npes = 1};
    cwd_near_t nothing = {0};
    one.near_words = &nothing;
    for (uint64_t i = 0; i < n * n; i++)
        a[n + i] = start_at(i / n, i % n, n);
    for (int k = 0; k < steps; k++) {
        double *t = a;
        step_slab(&one, &(step_t){a, b, NULL, n, 0, n, 0});
        a = b;
        b = t;
    }
    free(b);
    return a;
}

/** How far the slab is from the plate of one processor, at most. */
static double difference(const double *slab, uint64_t first, uint64_t rows, uint64_t n, int steps)
{
    double most = 0, *plate = alone(n, steps), *mine = malloc(rows * n * sizeof *mine);
    if (!mine)
        shmem_global_exit(1);
    shmem_double_get(mine, slab + n, rows * n, shmem_my_pe());
    for (uint64_t i = 0; i < rows * n; i++) {
        double d = mine[i] - plate[(first + 1) * n + i];
        most = d > most ? d : -d > most ? -d : most;
        heat_of_pe += mine[i] / (double)(n * n);
    }
    free(plate);
    free(mine);
    return most;
}

int main(int argc, char **argv)
{
    int provided, steps = argc > 2 ? (int)whole_number(argv[2], 1, 1 << 30) : 50;
    uint64_t n = argc > 1 ? (uint64_t)whole_number(argv[1], 1, 1 << 20) : 128;
    unsigned threads = argc > 3 ? (unsigned)whole_number(argv[3], 1, 1024) : 256;
    shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided);
    const uint64_t me = (uint64_t)shmem_my_pe(), npes = (uint64_t)shmem_n_pes();
    const uint64_t most = (n + npes - 1) / npes, first = me * n / npes;
    const uint64_t rows = (me + 1) * n / npes - first;
    const uint64_t above = me > 0 ? first - (me - 1) * n / npes : 0;
    if (n < npes || steps < 1 || threads < 1 || argc > 4) {
        if (me == 0)
            fprintf(stderr, "usage: heat [points >= PEs [steps [threads]]]\n");
        shmem_global_exit(2);
    }
    cwd_world_t world;
    gpu_t gpu;
    const char *why;
    if (shmemx_device_heap(2 * (most + 2) * n * sizeof(double) + 4096) != 0)
        return skip("no device (the line above says why)");
    double *a = shmemx_device_calloc((most + 2) * n, sizeof *a);
    double *b = shmemx_device_calloc((most + 2) * n, sizeof *b);
    if (shmemx_device_world(&world) != 0)
        return skip("no handle for kernels (the line above says why)");
    if (!gpu_open(&gpu, argv[0], &why))
        return skip(why);

    double *start = calloc((rows + 2) * n, sizeof *start);
    for (uint64_t i = 0; i < (rows + 2) * n; i++) {
        uint64_t row = first + i / n;  // of the plate with a row above it
        start[i] = row > 0 && row <= n ? start_at(row - 1, i % n, n) : 0;
    }
    shmem_double_put(a, start, (rows + 2) * n, (int)me);
    free(start);
    shmem_barrier_all();

    double began = seconds();
    for (int k = 1; k <= steps; k++) {
        step_t step = {a, b, signals, rows, above, n, (uint64_t)k};
        gpu_start(&gpu, "heat_step", threads, &world, &step);
        gpu_wait(&gpu);
        if (me > 0)
            shmem_signal_wait_until(&signals[0], SHMEM_CMP_GE, (uint64_t)k);
        if (me + 1 < npes)
            shmem_signal_wait_until(&signals[1], SHMEM_CMP_GE, (uint64_t)k);
        double *t = a;
        a = b;
        b = t;
    }
    shmem_barrier_all();
    double took = seconds() - began;
    double far = difference(a, first, rows, n, steps);
    shmemx_device_world_end();
    shmem_double_sum_reduce(SHMEM_TEAM_WORLD, &heat_of_all, &heat_of_pe, 1);
    static double far_of_pe, far_of_all;
    far_of_pe = far;
    shmem_double_max_reduce(SHMEM_TEAM_WORLD, &far_of_all, &far_of_pe, 1);
    bool right = far_of_all < 1e-12;  // a device may round a product and a sum once
    if (me == 0)
        printf("%llu x %llu points, %d steps, heat %.6f\n"
               "RESULT program=device-heat pes=%d verified=%s seconds=%.6f rate=%.3f "
               "unit=Mpoint/s\n",
               (unsigned long long)n, (unsigned long long)n, steps, heat_of_all, (int)npes,
               right ? "yes" : "NO", took, (double)(n * n) * steps / took / 1e6);
    if (me == 0 && !right)
        printf("FAILED: off by %g\n", far_of_all);
    shmem_finalize();
    return right ? 0 : 1;
}
