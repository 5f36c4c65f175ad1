// SPDX-License-Identifier: BSD-3-Clause
//
// Strided transfers that are large enough to be staged in cells of the target's node, by threads of
// two contexts at once, beside small ones; a get behind a quiet brings what was put.
#include <pthread.h>
#include <shmem.h>
#include <stdlib.h>

#include "sim.h"

enum { THREADS = 2, LONGS = 2200, ROUNDS = 2 };
static long there[THREADS][2 * LONGS], small[THREADS][4];
static long out[THREADS][LONGS], back[THREADS][LONGS];
static shmem_ctx_t contexts[THREADS];

static void *transfer(void *arg)
{
    long i = (long)arg;
    shmem_ctx_t ctx = contexts[sim_draw(THREADS)];
    for (long round = 1; round <= ROUNDS; round++) {
        out[i][0] = out[i][LONGS / 2] = out[i][LONGS - 1] = 10 * round + i;
        shmem_ctx_long_iput(ctx, there[i], out[i], 2, 1, LONGS, 1);
        shmem_ctx_long_p(ctx, &small[i][0], round, 1);
        shmem_ctx_quiet(ctx);
        out[i][0] = back[i][0] = back[i][LONGS - 1] = -1;
        shmem_ctx_long_iget(ctx, back[i], there[i], 1, 2, LONGS, 1);
        SIM_CHECK(back[i][0] == 10 * round + i && back[i][LONGS / 2] == 10 * round + i &&
                      back[i][LONGS - 1] == 10 * round + i,
                  "thread %ld gets %ld, %ld and %ld in round %ld", i, back[i][0],
                  back[i][LONGS / 2], back[i][LONGS - 1], round);
        long seen = shmem_ctx_long_g(ctx, &small[i][0], 1);
        SIM_CHECK(seen == round, "the small word is %ld in round %ld", seen, round);
    }
    return NULL;
}

static void run(void)
{
    int provided;
    if (sim_setting(0, 3) == 0)  // requests take another way than what is staged
        setenv("CAUSEWAY_TOPOLOGY", "fcg", 1);
    shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided);
    contexts[0] = SHMEM_CTX_DEFAULT;
    SIM_CHECK(shmem_ctx_create(0, &contexts[1]) == 0, "there is no context");
    shmem_barrier_all();
    sim_begin();
    if (shmem_my_pe() == 0) {
        pthread_t thread;
        pthread_create(&thread, NULL, transfer, (void *)1L);
        transfer((void *)0L);
        pthread_join(thread, NULL);
    }
    shmem_barrier_all();
    sim_end();
    shmem_finalize();
}

const sim_scene_t sim_scene = {.name = "staged", .npes = 2, .nnodes = 2, .run = run};
