// SPDX-License-Identifier: BSD-3-Clause
//
// What one thread has read of a location says nothing of what another one reads, where nothing
// orders them.
#include <pthread.h>
#include <stdatomic.h>

#include "sim.h"

static _Atomic int x, said;

static void *tell(void *arg)
{
    atomic_store_explicit(&said, atomic_load_explicit(&x, memory_order_relaxed),
                          memory_order_relaxed);
    return arg;
}

static void *look(void *arg)
{
    int least = atomic_load_explicit(&said, memory_order_acquire),
        seen = atomic_load_explicit(&x, memory_order_relaxed);
    SIM_CHECK(seen >= least, "%d is read behind a thread that has read %d", seen, least);
    return arg;
}

static void run(void)
{
    pthread_t threads[2];
    atomic_store(&x, 0);
    atomic_store(&said, 0);
    sim_begin();
    pthread_create(&threads[0], NULL, tell, NULL);
    pthread_create(&threads[1], NULL, look, NULL);
    atomic_store_explicit(&x, 1, memory_order_relaxed);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    sim_end();
}

const sim_scene_t sim_scene = {.name = "corr_relaxed", .npes = 1, .nnodes = 1, .run = run};
