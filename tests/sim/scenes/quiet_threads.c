// SPDX-License-Identifier: BSD-3-Clause
//
// A quiet of one thread is over when what the thread has put before is there, although quiets of
// other threads on the same context have begun before or meanwhile.
#include <pthread.h>
#include <shmem.h>

#include "sim.h"

enum { ROUNDS = 6 };
static long words[2];
static long issued;  // rounds whose operations have been issued

static void rest(void)
{
    for (uint32_t k = sim_draw(5); k > 0; k--)
        sim_yield();
}

/** Quiets about when the other thread has issued something. */
static void *order(void *arg)
{
    (void)arg;
    for (long round = 1; round <= ROUNDS; round++) {
        while (__atomic_load_n(&issued, __ATOMIC_RELAXED) < round)
            sim_yield();
        rest();
        shmem_quiet();
    }
    return NULL;
}

static void put(void)
{
    shmem_ctx_t ctx;
    SIM_CHECK(shmem_ctx_create(SHMEM_CTX_PRIVATE, &ctx) == 0, "there is no context");
    for (long v = 1; v <= ROUNDS; v++) {
        if (sim_draw(2))
            shmem_long_put_nbi(&words[0], &v, 1, 1);
        else
            shmem_long_p(&words[0], v, 1);
        shmem_long_atomic_set(&words[1], v, 1);
        __atomic_store_n(&issued, v, __ATOMIC_RELAXED);
        rest();
        shmem_quiet();
        long a = shmem_ctx_long_g(ctx, &words[0], 1), b = shmem_ctx_long_g(ctx, &words[1], 1);
        SIM_CHECK(a == v && b == v, "behind the quiet of round %ld the words are %ld and %ld", v, a,
                  b);
    }
    shmem_ctx_destroy(ctx);
}

static void run(void)
{
    int provided;
    shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided);
    shmem_barrier_all();
    sim_begin();
    if (shmem_my_pe() == 0) {
        pthread_t thread;
        pthread_create(&thread, NULL, order, NULL);
        put();
        pthread_join(thread, NULL);
    }
    shmem_barrier_all();
    sim_end();
    shmem_finalize();
}

const sim_scene_t sim_scene = {.name = "quiet_threads", .npes = 2, .nnodes = 2, .run = run};
