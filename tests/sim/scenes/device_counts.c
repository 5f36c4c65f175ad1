// SPDX-License-Identifier: BSD-3-Clause
//
// A device heap over two devices, of which neither may reach the other's memory, without kernels:
// atomics of several threads on the slices of all PEs see each old value once, and what a PE puts
// from its slice into another one, it gets back there.
#include <pthread.h>
#include <shmem.h>
#include <shmemx.h>
#include <stdlib.h>

#include "device.h"

enum { PES = 3, THREADS = 2, ROUNDS = 2, WORDS = 6 };
static uint64_t *counts, *data, *mine;  // on devices
static int me;

/** Each old value is seen once, so the sum of all is known. */
static void *count(void *arg)
{
    (void)arg;
    for (int round = 0; round < ROUNDS; round++)
        for (int k = 0; k < PES; k++) {
            const int pe = (me + k) % PES;
            const uint64_t old = shmem_uint64_atomic_fetch_inc(counts, pe);
            shmem_uint64_atomic_add(counts + 1, old, pe);
        }
    return NULL;
}

static void move(int pe)
{
    uint64_t seen;
    for (int i = 0; i < WORDS; i++)
        shmem_uint64_p(mine + i, (uint64_t)(100 * me + 10 * pe + i), me);
    shmem_uint64_put(data + me * WORDS, mine, WORDS, pe);
    shmem_quiet();
    shmem_uint64_p(mine + WORDS - 1, 0, me);
    shmem_uint64_get(mine, data + me * WORDS, WORDS, pe);
    for (int i = 0; i < WORDS; i++)
        SIM_CHECK((seen = shmem_uint64_g(mine + i, me)) == (uint64_t)(100 * me + 10 * pe + i),
                  "word %d comes back from PE %d as %d", i, pe, (int)seen);
}

static void run(void)
{
    pthread_t threads[THREADS];
    int provided;
    if (sim_setting(0, 2))
        setenv("SIM_DEVICES_APART", "1", 1);
    shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided);
    me = shmem_my_pe();
    SIM_CHECK(shmemx_device_heap(65536) == 0, "no device heap");
    counts = shmemx_device_calloc(2, sizeof *counts);
    data = shmemx_device_malloc(PES * WORDS * sizeof *data);
    mine = shmemx_device_malloc(WORDS * sizeof *mine);
    shmem_barrier_all();
    sim_begin();
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, count, NULL);
    for (int pe = 0; pe < PES; pe++)
        move(pe);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    shmem_barrier_all();
    const uint64_t n = PES * THREADS * ROUNDS, all = shmem_uint64_g(counts, me),
                   sum = shmem_uint64_g(counts + 1, me);
    SIM_CHECK(all == n && sum == n * (n - 1) / 2, "%d counts with the sum %d", (int)all, (int)sum);
    shmem_barrier_all();
    sim_end();
    shmem_finalize();
}

static const char *const env[] = {"SIM_DEVICES=2", NULL};
const sim_scene_t sim_scene = {
    .name = "device_counts", .npes = PES, .nnodes = 2, .run = run, .env = env};
