// SPDX-License-Identifier: BSD-3-Clause
//
// Coherence of a location whose accesses are relaxed: stores that are ordered stay in that order
// (CoWW), a load behind a store reads it or a newer one (CoWR), also in another thread that comes
// behind, a store behind a load comes behind what that has read (CoRW), and a read-modify-write
// reads what is just before it.
#include <pthread.h>
#include <stdatomic.h>

#include "sim.h"

static _Atomic int x, said, sum;

static int load(void)
{
    return atomic_load_explicit(&x, memory_order_relaxed);
}

static void *first(void *arg)
{
    atomic_store_explicit(&x, 1, memory_order_relaxed);
    int seen = load();
    SIM_CHECK(seen != 0, "a store is not there for its own thread");
    atomic_store_explicit(&x, 2, memory_order_relaxed);
    atomic_store_explicit(&said, 1, memory_order_release);
    atomic_fetch_add_explicit(&sum, 1, memory_order_relaxed);
    return arg;
}

static void *second(void *arg)
{
    int before = atomic_load_explicit(&said, memory_order_acquire), seen = load(), again = load();
    SIM_CHECK(!before || seen >= 2, "a store that comes before is not there: %d", seen);
    SIM_CHECK(seen <= again, "%d is read behind %d", again, seen);
    if (again == 2) {
        atomic_store_explicit(&x, 3, memory_order_relaxed);
        SIM_CHECK(load() == 3, "%d comes behind 3, which was stored behind it", load());
    }
    atomic_fetch_add_explicit(&sum, 2, memory_order_relaxed);
    return again == 2 ? arg : NULL;
}

static void run(void)
{
    pthread_t threads[2];
    void *stored;
    atomic_store(&x, 0);
    atomic_store(&said, 0);
    atomic_store(&sum, 0);
    sim_begin();
    pthread_create(&threads[0], NULL, first, NULL);
    pthread_create(&threads[1], NULL, second, &x);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], &stored);
    sim_end();
    SIM_CHECK(load() == (stored ? 3 : 2), "the last store is %d", load());
    SIM_CHECK(atomic_load_explicit(&sum, memory_order_relaxed) == 3, "an update is lost");
}

const sim_scene_t sim_scene = {.name = "coherence", .npes = 1, .nnodes = 1, .run = run};
