// SPDX-License-Identifier: BSD-3-Clause
//
// In checking mode a thread calls that may not, since the job was joined for one: the job ends with
// a message.
#include <pthread.h>
#include <shmem.h>

#include "sim.h"

static long word;

static void *put(void *arg)
{
    (void)arg;
    shmem_long_p(&word, 1, 1);
    SIM_CHECK(0, "a call of another thread has returned");
    return NULL;
}

static void run(void)
{
    pthread_t thread;
    shmem_init();
    shmem_barrier_all();
    sim_begin();
    if (shmem_my_pe() == 0) {
        pthread_create(&thread, NULL, put, NULL);
        pthread_join(thread, NULL);
    }
    shmem_barrier_all();
    sim_end();
    shmem_finalize();
}

static const char *const env[] = {"CAUSEWAY_CHECK=1", NULL};
const sim_scene_t sim_scene = {
    .name = "thread_misuse", .npes = 2, .nnodes = 1, .run = run, .env = env, .may_fail = 1};
