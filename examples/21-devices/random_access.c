// SPDX-License-Identifier: BSD-3-Clause
//
// Random updates of a table that lies on the devices of all PEs. README.md has the discussion.
#define _GNU_SOURCE
#include <shmem.h>
#include <shmemx.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "gpu.h"
#include "random_access.h"

static uint64_t wrong_of_pe, wrong_of_all;

/** The same kernel as a C function: for drivers that call those. */
void random_updates(const void *thread, void **parameters);
void random_updates(const void *thread, void **parameters)
{
    (void)thread;
    update(parameters[0], parameters[1]);
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

/** Every update a second time undoes the first: what differs then was lost. */
static uint64_t count_wrong(const uint64_t *table, uint64_t *copy, uint64_t words)
{
    uint64_t wrong = 0;
    shmem_uint64_get(copy, table, words, shmem_my_pe());
    for (uint64_t i = 0; i < words; i++)
        wrong += copy[i] != i;
    return wrong;
}

int main(int argc, char **argv)
{
    int provided, log2_words = argc > 1 ? (int)whole_number(argv[1], 1, 30) : 16;
    unsigned threads = argc > 2 ? (unsigned)whole_number(argv[2], 1, 1024) : 1024;
    shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided);
    const int me = shmem_my_pe(), npes = shmem_n_pes();
    if (log2_words < 1 || threads < 1 || argc > 3) {
        if (me == 0)
            fprintf(stderr, "usage: random_access_device [log2 of words, 1 to 30 [threads]]\n");
        shmem_global_exit(2);
    }
    const uint64_t words = UINT64_C(1) << log2_words, count = 4 * words;
    cwd_world_t world;
    gpu_t gpu;
    const char *why;
    if (shmemx_device_heap(words * sizeof(uint64_t) + (1 << 20)) != 0)
        return skip("no device (the line above says why)");
    uint64_t *table = shmemx_device_malloc(words * sizeof *table);
    uint64_t *copy = malloc(words * sizeof *copy);
    if (!table || !copy)
        shmem_global_exit(1);
    if (shmemx_device_world(&world) != 0)
        return skip("no handle for kernels (the line above says why)");
    if (!gpu_open(&gpu, argv[0], &why))
        return skip(why);
    for (uint64_t i = 0; i < words; i++)
        copy[i] = i;
    shmem_uint64_put(table, copy, words, me);
    shmem_barrier_all();

    updates_t updates = {table, words, (uint64_t)me * count, count};
    double began = seconds();
    gpu_start(&gpu, "random_updates", threads, &world, &updates);
    gpu_wait(&gpu);
    shmem_barrier_all();
    double took = seconds() - began;
    bool changed = count_wrong(table, copy, words) > words / 2;
    shmem_barrier_all();
    gpu_start(&gpu, "random_updates", threads, &world, &updates);
    gpu_wait(&gpu);
    shmem_barrier_all();
    wrong_of_pe = count_wrong(table, copy, words) + !changed;
    shmemx_device_world_end();
    shmem_uint64_sum_reduce(SHMEM_TEAM_WORLD, &wrong_of_all, &wrong_of_pe, 1);
    if (me == 0)
        printf("%llu words on each of %d devices, %llu updates a PE, %llu wrong\n"
               "RESULT program=device-random-access pes=%d verified=%s seconds=%.6f rate=%.4f "
               "unit=Mupdate/s\n",
               (unsigned long long)words, npes, (unsigned long long)count,
               (unsigned long long)wrong_of_all, npes, wrong_of_all == 0 ? "yes" : "NO", took,
               (double)count * npes / took / 1e6);
    if (me == 0 && wrong_of_all > 0)
        printf("FAILED: updates were lost\n");
    shmem_finalize();
    return wrong_of_all == 0 ? 0 : 1;
}
