// SPDX-License-Identifier: BSD-3-Clause
//
// Store buffers: each thread stores, then reads the word of the other. Both may read 0 where stores
// pass later loads: under tso and c11.
#include <pthread.h>
#include <stdatomic.h>

#include "sim.h"

static _Atomic int x, y;
static int a, b;

static void *first(void *arg)
{
    atomic_store_explicit(&x, 1, memory_order_relaxed);
    a = atomic_load_explicit(&y, memory_order_relaxed);
    return arg;
}

static void *second(void *arg)
{
    atomic_store_explicit(&y, 1, memory_order_relaxed);
    b = atomic_load_explicit(&x, memory_order_relaxed);
    return arg;
}

static void run(void)
{
    pthread_t threads[2];
    atomic_store(&x, 0);
    atomic_store(&y, 0);
    sim_begin();
    pthread_create(&threads[0], NULL, first, NULL);
    pthread_create(&threads[1], NULL, second, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    sim_end();
    SIM_CHECK(a || b, "both read 0");
}

const sim_scene_t sim_scene = {.name = "sb", .npes = 1, .nnodes = 1, .run = run};
