// SPDX-License-Identifier: BSD-3-Clause
//
// Two threads of a PE that sleep for different words, and a wait for all of several words, on a
// node: each is woken by the put that it waits for, whatever word the PE has said it watches.
#include <pthread.h>
#include <shmem.h>

#include "sim.h"

enum { WORDS = 3 };
static long flags[2], came[2], set[WORDS], over;

static void await(int i)
{
    shmem_long_wait_until(&flags[i], SHMEM_CMP_EQ, 1);
    shmem_long_atomic_inc(&came[i], 1);
}

static void *wait(void *arg)
{
    (void)arg;
    await(1);
    return NULL;
}

static void receive(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, wait, NULL);
    await(0);
    pthread_join(thread, NULL);
    shmem_long_wait_until_all(set, WORDS, NULL, SHMEM_CMP_EQ, 1);
    shmem_long_atomic_inc(&over, 1);
}

/** The second flag goes when the first one has been seen. */
static void send(void)
{
    uint32_t odd = sim_draw(2);
    for (uint32_t k = sim_draw(20); k > 0; k--)
        sim_yield();
    for (uint32_t k = 0; k < 2; k++) {
        uint32_t i = k ^ odd;
        shmem_long_atomic_set(&flags[i], 1, 0);
        shmem_long_wait_until(&came[i], SHMEM_CMP_EQ, 1);
    }
    for (uint32_t k = sim_draw(WORDS), i = 0; i < WORDS; i++)
        shmem_long_atomic_set(&set[(k + i) % WORDS], 1, 0);
    shmem_long_wait_until(&over, SHMEM_CMP_EQ, 1);
}

static void run(void)
{
    int provided;
    shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided);
    shmem_barrier_all();
    sim_begin();
    if (shmem_my_pe() == 0)
        receive();
    else
        send();
    shmem_barrier_all();
    sim_end();
    shmem_finalize();
}

const sim_scene_t sim_scene = {
    .name = "node_waits", .npes = 2, .nnodes = 1, .run = run, .timeless = SIM_UNDER_SC};
