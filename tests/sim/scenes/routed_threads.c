// SPDX-License-Identifier: BSD-3-Clause
//
// Requests along a complete graph of three nodes: a PE that does not host its node's server has one
// thread that fetches from one neighbour and one that adds at the other, to which the PE beside it
// sends, too. All is executed once, in order, and nothing waits for a server that sleeps.
#include <pthread.h>
#include <shmem.h>

#include "sim.h"

enum { PES = 4, ROUNDS = 8 };
static long counters[3];

static void *fetch(void *arg)
{
    (void)arg;
    for (long round = 0; round < ROUNDS; round++) {
        long seen = shmem_long_atomic_fetch_add(&counters[0], 1, 2);
        SIM_CHECK(seen == round, "fetched is %ld in round %ld", seen, round);
    }
    return NULL;
}

static void add(int i)
{
    for (int round = 0; round < ROUNDS; round++) {
        shmem_long_atomic_inc(&counters[i], 3);
        for (uint32_t k = sim_draw(4); k > 0; k--)
            sim_yield();
    }
    shmem_quiet();
}

static void run(void)
{
    int provided;
    shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided);
    int me = shmem_my_pe();
    shmem_barrier_all();
    sim_begin();
    if (me == 0) {
        add(1);
    } else if (me == 1) {
        pthread_t thread;
        pthread_create(&thread, NULL, fetch, NULL);
        add(2);
        pthread_join(thread, NULL);
    }
    shmem_barrier_all();
    sim_end();
    if (me == 2)
        SIM_CHECK(counters[0] == ROUNDS, "fetches have counted %ld", counters[0]);
    if (me == 3)
        SIM_CHECK(counters[1] == ROUNDS && counters[2] == ROUNDS, "counted are %ld and %ld",
                  counters[1], counters[2]);
    shmem_barrier_all();
    shmem_finalize();
}

static const char *const env[] = {"CAUSEWAY_TOPOLOGY=fcg", NULL};
const sim_scene_t sim_scene = {.name = "routed_threads",
                               .npes = PES,
                               .nnodes = 3,
                               .run = run,
                               .env = env,
                               .most_ns = 300000000};  // a server sleeps for up to a second
