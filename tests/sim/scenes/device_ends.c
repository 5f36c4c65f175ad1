// SPDX-License-Identifier: BSD-3-Clause
//
// What kernels have left in the ring when the handle has no user any more, and when the program
// ends, is executed all the same; and a handle that is asked for again is served again.
#include <pthread.h>
#include <shmem.h>
#include <shmemx.h>

#include "device.h"

enum { KERNELS = 2, LEFT = 3, SESSIONS = 2 };
static cwd_world_t world;
static uint64_t sum, fetched;
static int me, other;

static void *leave(void *arg)
{
    (void)arg;
    for (int i = 0; i < LEFT; i++)
        cwd_uint64_atomic_add(&world, &sum, 1, other);
    return NULL;
}

/** The answer shows that the thread serves. */
static void *ask(void *arg)
{
    (void)arg;
    (void)cwd_uint64_atomic_fetch_inc(&world, &fetched, other);
    return leave(NULL);
}

static void run_kernels(void)
{
    pthread_t threads[KERNELS];
    for (int i = 0; i < KERNELS; i++)
        pthread_create(&threads[i], NULL, sim_draw(2) ? ask : leave, NULL);
    for (int i = 0; i < KERNELS; i++)
        pthread_join(threads[i], NULL);
}

static void run(void)
{
    int provided;
    shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided);
    me = shmem_my_pe();
    other = !me;
    SIM_CHECK(shmemx_device_heap(65536) == 0 && shmemx_device_world(&world) == 0, "no device");
    shmem_barrier_all();
    sim_begin();
    for (int i = 0; i < SESSIONS; i++) {
        run_kernels();
        shmemx_device_world_end();
        if (sim_draw(2))
            usleep(3000);  // long enough for the thread to sleep
        SIM_CHECK(shmemx_device_world(&world) == 0, "no handle again");
    }
    run_kernels();
    if (sim_draw(2))
        shmemx_device_world_end();
    shmem_finalize();
    sim_end();
    SIM_CHECK(sum == (SESSIONS + 1) * KERNELS * LEFT, "%d of %d", (int)sum,
              (SESSIONS + 1) * KERNELS * LEFT);
}

static const char *const env[] = {"CAUSEWAY_DEVICE_RING=8", NULL};
const sim_scene_t sim_scene = {
    .name = "device_ends", .npes = 2, .nnodes = 2, .run = run, .env = env};
