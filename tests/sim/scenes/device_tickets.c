// SPDX-License-Identifier: BSD-3-Clause
//
// Kernels of one PE, more than their ring has places, that ask and ask: each answer is read by the
// kernel that asked, before its place has another one.
#include <pthread.h>
#include <shmem.h>
#include <shmemx.h>

#define SIM_LOOKS 64
#include "device.h"

enum { KERNELS = 5, ROUNDS = 4 };
static cwd_world_t world;
static uint64_t words[KERNELS], others[KERNELS], sum;

/** Only this kernel adds to its words; all add to the sum. */
static void *kernel(void *arg)
{
    const long i = (long)arg;
    for (uint64_t round = 0; round < ROUNDS; round++) {
        uint64_t old = cwd_uint64_atomic_fetch_add(&world, &words[i], (uint64_t)i + 1, 0);
        SIM_CHECK(old == round * ((uint64_t)i + 1), "kernel %ld, round %d: its word was %d", i,
                  (int)round, (int)old);
        cwd_uint64_atomic_add(&world, &sum, 1, 0);
        cwd_uint64_atomic_add(&world, &others[i], 1, 0);
        if (sim_draw(2))
            continue;
        if (sim_draw(2))
            cwd_quiet(&world);
        else
            cwd_fence(&world);
        old = __atomic_load_n(&others[i], __ATOMIC_RELAXED);
        SIM_CHECK(old == round + 1, "kernel %ld, round %d: %d behind its fence", i, (int)round,
                  (int)old);
    }
    return NULL;
}

static void run(void)
{
    pthread_t threads[KERNELS];
    int provided;
    shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided);
    SIM_CHECK(shmemx_device_heap(65536) == 0 && shmemx_device_world(&world) == 0, "no device");
    sim_begin();
    for (long i = 0; i < KERNELS; i++)
        pthread_create(&threads[i], NULL, kernel, (void *)i);
    for (long i = 0; i < KERNELS; i++)
        pthread_join(threads[i], NULL);
    cwd_quiet(&world);
    SIM_CHECK(sum == KERNELS * ROUNDS, "%d of %d", (int)sum, KERNELS * ROUNDS);
    sim_end();
    shmemx_device_world_end();
    shmem_finalize();
}

static const char *const env[] = {"CAUSEWAY_DEVICE_RING=4", NULL};
const sim_scene_t sim_scene = {
    .name = "device_tickets", .npes = 1, .nnodes = 1, .run = run, .env = env};
