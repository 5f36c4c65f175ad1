// SPDX-License-Identifier: BSD-3-Clause
//
// A put, a fence, and atomics of the default context that are collected in a bundle, while other
// threads fence contexts of their own: the bundle may not come before the put.
#include <pthread.h>
#include <shmem.h>

#include "sim.h"

enum { ROUNDS = 6, FENCES = 100, IDLE_US = 300 };
static long a, b, others[4], elsewhere;
static int over;

static void *fence_another(void *arg)
{
    shmem_ctx_t ctx;
    (void)arg;
    if (shmem_ctx_create(SHMEM_CTX_PRIVATE, &ctx) != 0)
        return NULL;
    shmem_ctx_long_p(ctx, &elsewhere, 1, 1);
    for (int k = 0; k < FENCES; k++)
        shmem_ctx_fence(ctx);  // there is something to order until the quiet
    shmem_ctx_quiet(ctx);
    shmem_ctx_destroy(ctx);
    return NULL;
}

static void put(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, fence_another, NULL);
    for (long v = 1; v <= ROUNDS; v++) {
        shmem_long_p(&a, v, 1);
        shmem_fence();
        for (int i = 0; i < 4; i++)
            shmem_long_atomic_inc(&others[i], 1);
        shmem_long_atomic_set(&b, v, 1);
        if (sim_draw(8))
            usleep(IDLE_US);  // the bundle is sent for this thread
        else
            shmem_quiet();
    }
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    shmem_quiet();
}

static void *look(void *arg)
{
    (void)arg;
    while (!__atomic_load_n(&over, __ATOMIC_RELAXED)) {
        long seen_b = __atomic_load_n(&b, __ATOMIC_ACQUIRE);
        long seen_a = __atomic_load_n(&a, __ATOMIC_ACQUIRE);
        SIM_CHECK(seen_a >= seen_b, "b is %ld, and a, put before it, %ld", seen_b, seen_a);
        sim_look_again();
    }
    return NULL;
}

static void run(void)
{
    int provided;
    shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided);
    shmem_barrier_all();
    sim_begin();
    pthread_t thread;
    if (shmem_my_pe() == 0)
        put();
    else
        pthread_create(&thread, NULL, look, NULL);
    shmem_barrier_all();
    sim_end();
    if (shmem_my_pe() == 1) {
        __atomic_store_n(&over, 1, __ATOMIC_RELAXED);
        pthread_join(thread, NULL);
        SIM_CHECK(a == ROUNDS && b == ROUNDS && others[3] == ROUNDS, "%ld %ld %ld", a, b,
                  others[3]);
    }
    shmem_barrier_all();
    shmem_finalize();
}

static const char *const env[] = {"CAUSEWAY_AGGREGATE=on", NULL};
const sim_scene_t sim_scene = {
    .name = "fence_mark", .npes = 2, .nnodes = 2, .run = run, .env = env};
