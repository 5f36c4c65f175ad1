// SPDX-License-Identifier: BSD-3-Clause
//
// Threads of a PE that put single words to one PE, and quiet now and then, on the default context
// and on one that they share: each word has the value of its last put behind the thread's quiet.
#include <pthread.h>
#include <shmem.h>

#include "sim.h"

enum { THREADS = 3, ROUNDS = 4, PUTS = 4 };
static long words[THREADS][PUTS];
static shmem_ctx_t shared, other;

static void *put(void *arg)
{
    long i = (long)arg;
    shmem_ctx_t ctx = i == 0 ? SHMEM_CTX_DEFAULT : shared;
    for (long round = 1; round <= ROUNDS; round++) {
        long base = 1000 * (i + 1) + 100 * round;
        for (int k = 0; k < PUTS; k++)
            shmem_ctx_long_p(ctx, &words[i][k], base + k, 1);
        shmem_ctx_quiet(ctx);
        for (int k = 0; k < PUTS; k++) {
            long seen = shmem_ctx_long_g(i == 0 ? shared : other, &words[i][k], 1);
            SIM_CHECK(seen == base + k, "word %d of thread %ld is %ld behind its quiet, not %ld", k,
                      i, seen, base + k);
        }
    }
    return NULL;
}

static void run(void)
{
    int provided;
    shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided);
    SIM_CHECK(shmem_ctx_create(0, &shared) == 0 && shmem_ctx_create(0, &other) == 0, "no context");
    shmem_barrier_all();
    sim_begin();
    if (shmem_my_pe() == 0) {
        pthread_t threads[THREADS];
        for (long i = 1; i < THREADS; i++)
            pthread_create(&threads[i], NULL, put, (void *)i);
        put((void *)0L);
        for (int i = 1; i < THREADS; i++)
            pthread_join(threads[i], NULL);
    }
    shmem_barrier_all();
    sim_end();
    shmem_finalize();
}

const sim_scene_t sim_scene = {.name = "put_threads", .npes = 2, .nnodes = 2, .run = run};
