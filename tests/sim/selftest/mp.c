// SPDX-License-Identifier: BSD-3-Clause
//
// A message without order: the flag may come before the data under c11 only.
#include <pthread.h>
#include <stdatomic.h>

#include "sim.h"

static _Atomic int x, y;
static int a, b;

static void *first(void *arg)
{
    atomic_store_explicit(&x, 1, memory_order_relaxed);
    atomic_store_explicit(&y, 1, memory_order_relaxed);
    return arg;
}

static void *second(void *arg)
{
    a = atomic_load_explicit(&y, memory_order_relaxed);
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
    SIM_CHECK(!a || b, "the flag is there and the data are not");
}

const sim_scene_t sim_scene = {.name = "mp", .npes = 1, .nnodes = 1, .run = run};
