// SPDX-License-Identifier: BSD-3-Clause
//
// Threads of a PE on a shared context: two put by atomics and fence, two only send atomics. A fence
// must end although requests of others go out behind the one that it asked for.
#include <pthread.h>
#include <shmem.h>

#include "sim.h"

enum { THREADS = 3, ROUNDS = 2, MORE = 3 };
static long words[THREADS];
static shmem_ctx_t ctx;
static int peer;

static void *issue(void *arg)
{
    long i = (long)arg;
    for (int round = 0; round < ROUNDS; round++) {
        int n = i == 0 ? 1 : MORE;
        for (int k = 0; k < n; k++)
            shmem_ctx_long_atomic_add(ctx, &words[i], 1, peer);
        if (i == 0)
            shmem_ctx_fence(ctx);
    }
    return NULL;
}

static void run(void)
{
    int provided;
    pthread_t threads[THREADS];
    shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided);
    int me = shmem_my_pe();
    peer = !me;
    if (shmem_ctx_create(0, &ctx) != 0)
        ctx = SHMEM_CTX_DEFAULT;
    shmem_barrier_all();
    sim_begin();
    if (me == 0) {
        for (long i = 1; i < THREADS; i++)
            pthread_create(&threads[i], NULL, issue, (void *)i);
        issue((void *)0);
        for (int i = 1; i < THREADS; i++)
            pthread_join(threads[i], NULL);
        shmem_ctx_quiet(ctx);
    }
    shmem_barrier_all();
    sim_end();
    if (me == 1)
        SIM_CHECK(words[0] == ROUNDS && words[1] == ROUNDS * MORE && words[2] == ROUNDS * MORE,
                  "words are %ld %ld %ld", words[0], words[1], words[2]);
    shmem_barrier_all();
    shmem_finalize();
}

const sim_scene_t sim_scene = {.name = "fence_threads", .npes = 2, .nnodes = 2, .run = run};
