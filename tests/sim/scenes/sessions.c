// SPDX-License-Identifier: BSD-3-Clause
//
// Sessions that batch, begun and ended by one thread while another issues and orders on the same
// context: nothing is lost or comes twice, and what a fence parts stays apart.
#include <pthread.h>
#include <shmem.h>

#include "sim.h"

enum { ROUNDS = 4, ADDS = 3 };
static long a, b, sums[2];
static int over;

static void *batch(void *arg)
{
    (void)arg;
    shmem_ctx_session_config_t config = {.total_ops = 2};
    for (int round = 0; round < ROUNDS; round++) {
        shmem_ctx_session_start(SHMEM_CTX_DEFAULT, SHMEM_CTX_SESSION_BATCH, &config,
                                SHMEM_CTX_SESSION_TOTAL_OPS);
        for (int i = 0; i < ADDS; i++)
            shmem_long_atomic_add(&sums[0], 1, 1);
        shmem_ctx_session_stop(SHMEM_CTX_DEFAULT);
    }
    return NULL;
}

static void issue(void)
{
    for (long v = 1; v <= ROUNDS; v++) {
        shmem_long_p(&a, v, 1);
        shmem_fence();
        shmem_long_p(&b, v, 1);
        shmem_long_atomic_add(&sums[1], 1, 1);
        if (sim_draw(2))
            shmem_quiet();
    }
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
    pthread_t thread;
    shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided);
    int me = shmem_my_pe();
    shmem_barrier_all();
    sim_begin();
    pthread_create(&thread, NULL, me == 0 ? batch : look, NULL);
    if (me == 0) {
        issue();
        pthread_join(thread, NULL);
    }
    shmem_barrier_all();
    sim_end();
    if (me == 1) {
        __atomic_store_n(&over, 1, __ATOMIC_RELAXED);
        pthread_join(thread, NULL);
        SIM_CHECK(a == ROUNDS && b == ROUNDS && sums[0] == ROUNDS * ADDS && sums[1] == ROUNDS,
                  "%ld %ld %ld %ld", a, b, sums[0], sums[1]);
    }
    shmem_barrier_all();
    shmem_finalize();
}

const sim_scene_t sim_scene = {.name = "sessions", .npes = 2, .nnodes = 2, .run = run};
