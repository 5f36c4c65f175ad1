// SPDX-License-Identifier: BSD-3-Clause
//
// All PEs connect to each other at the same time, each by two threads with contexts of their own;
// what goes over the new connections is there behind a quiet.
#include <pthread.h>
#include <shmem.h>
#include <stdlib.h>

#include "sim.h"

enum { PES = 3, THREADS = 2 };
static long words[THREADS][PES], counter;
static int me;

static void *visit(void *arg)
{
    long i = (long)arg;
    shmem_ctx_t ctx;
    if (shmem_ctx_create(SHMEM_CTX_PRIVATE, &ctx) != 0)
        ctx = SHMEM_CTX_DEFAULT;
    for (int k = 1; k < PES; k++) {
        int pe = (me + (i ? k : PES - k)) % PES;
        if (sim_draw(2))
            shmem_ctx_long_p(ctx, &words[i][me], 7 + me, pe);
        else
            shmem_ctx_long_atomic_set(ctx, &words[i][me], 7 + me, pe);
        shmem_ctx_long_atomic_inc(ctx, &counter, pe);
        shmem_ctx_quiet(ctx);
        long seen = shmem_ctx_long_g(ctx, &words[i][me], pe);
        SIM_CHECK(seen == 7 + me, "PE %d has %ld behind the quiet of PE %d", pe, seen, me);
    }
    shmem_ctx_destroy(ctx);
    return NULL;
}

static void run(void)
{
    int provided;
    setenv("CAUSEWAY_ENDPOINT", sim_setting(0, 2) ? "rdm" : "msg", 1);
    shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided);
    me = shmem_my_pe();
    shmem_barrier_all();
    sim_begin();
    pthread_t thread;
    pthread_create(&thread, NULL, visit, (void *)1L);
    visit((void *)0L);
    pthread_join(thread, NULL);
    shmem_barrier_all();
    sim_end();
    SIM_CHECK(counter == THREADS * (PES - 1), "counted are %ld", counter);
    shmem_finalize();
}

const sim_scene_t sim_scene = {.name = "connects",
                               .npes = PES,
                               .nnodes = PES,
                               .run = run,
                               .timeless = SIM_UNDER_SC | SIM_UNDER_TSO};
