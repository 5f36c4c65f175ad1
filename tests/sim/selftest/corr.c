// SPDX-License-Identifier: BSD-3-Clause
//
// Coherence of reads: what one thread has read of a location, relaxed, another one that comes
// behind it reads, too, or something newer. The order between them is a release store, or a fence.
#include <pthread.h>
#include <stdatomic.h>

#include "sim.h"

static _Atomic int x, said, fenced;

static void *write_it(void *arg)
{
    atomic_store_explicit(&x, 1, memory_order_relaxed);
    atomic_store_explicit(&x, 2, memory_order_relaxed);
    return arg;
}

static void *tell(void *arg)
{
    atomic_store_explicit(&said, 1 + atomic_load_explicit(&x, memory_order_relaxed),
                          memory_order_release);
    int later = 1 + atomic_load_explicit(&x, memory_order_relaxed);
    atomic_thread_fence(memory_order_release);
    atomic_store_explicit(&fenced, later, memory_order_relaxed);
    return arg;
}

static void look(_Atomic int *word, const char *what)
{
    int least = atomic_load_explicit(word, memory_order_acquire) - 1,
        seen = atomic_load_explicit(&x, memory_order_relaxed);
    SIM_CHECK(seen >= least, "%d is read behind a thread that has read %d, by a %s", seen, least,
              what);
}

static void run(void)
{
    pthread_t threads[2];
    atomic_store(&x, 0);
    atomic_store(&said, 0);
    atomic_store(&fenced, 0);
    sim_begin();
    pthread_create(&threads[0], NULL, write_it, NULL);
    pthread_create(&threads[1], NULL, tell, NULL);
    if (sim_seed() % 2)
        look(&fenced, "fence");
    else
        look(&said, "release store");
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    sim_end();
}

const sim_scene_t sim_scene = {.name = "corr", .npes = 1, .nnodes = 1, .run = run};
