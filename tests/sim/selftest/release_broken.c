// SPDX-License-Identifier: BSD-3-Clause
//
// A relaxed store of another thread ends a release sequence: who reads it acquires nothing.
#include <pthread.h>
#include <stdatomic.h>

#include "sim.h"

static _Atomic int data, flag;

static void *release(void *arg)
{
    atomic_store_explicit(&data, 1, memory_order_relaxed);
    atomic_store_explicit(&flag, 1, memory_order_release);
    return arg;
}

static void *interrupt(void *arg)
{
    if (atomic_load_explicit(&flag, memory_order_relaxed) == 1)
        atomic_store_explicit(&flag, 2, memory_order_relaxed);
    return arg;
}

static void run(void)
{
    pthread_t threads[2];
    atomic_store(&data, 0);
    atomic_store(&flag, 0);
    sim_begin();
    pthread_create(&threads[0], NULL, release, NULL);
    pthread_create(&threads[1], NULL, interrupt, NULL);
    int seen = atomic_load_explicit(&flag, memory_order_acquire),
        there = atomic_load_explicit(&data, memory_order_relaxed);
    SIM_CHECK(seen != 2 || there, "the sequence was interrupted, and the data are not there");
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    sim_end();
}

const sim_scene_t sim_scene = {.name = "release_broken", .npes = 1, .nnodes = 1, .run = run};
