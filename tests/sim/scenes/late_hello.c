// SPDX-License-Identifier: BSD-3-Clause
//
// RDM endpoints: a thread's first message to a node is late, while another thread of the process
// connects to that node many times, with one connection at a time.
#include <pthread.h>
#include <shmem.h>

#include "sim.h"

enum { PES = 3, CONNECTS = 80, LATE = 4 };
static long words[2];

static void *connect_late(void *arg)
{
    (void)arg;
    for (int i = 0; i < LATE; i++) {
        shmem_ctx_t ctx;
        if (shmem_ctx_create(SHMEM_CTX_PRIVATE, &ctx) != 0)
            return NULL;
        shmem_ctx_long_p(ctx, &words[1], 1, 1 + i % 2);
        shmem_ctx_quiet(ctx);
        shmem_ctx_destroy(ctx);
    }
    return NULL;
}

static void run(void)
{
    int provided;
    shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided);
    shmem_barrier_all();
    sim_begin();
    if (shmem_my_pe() == 0) {
        pthread_t thread;
        pthread_create(&thread, NULL, connect_late, NULL);
        for (int i = 0; i < CONNECTS; i++)
            shmem_long_p(&words[0], i, 1 + i % 2);
        pthread_join(thread, NULL);
    }
    shmem_barrier_all();
    sim_end();
    shmem_finalize();
}

static const char *const env[] = {"CAUSEWAY_ENDPOINT=rdm", "CAUSEWAY_MAX_CONNECTIONS=1", NULL};
const sim_scene_t sim_scene = {
    .name = "late_hello", .npes = PES, .nnodes = PES, .run = run, .env = env};
