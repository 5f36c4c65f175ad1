// SPDX-License-Identifier: BSD-3-Clause
//
// One connection at a time: each operation to another node evicts the connection before it, while
// threads use both; puts, atomics and gets keep their meaning.
#include <pthread.h>
#include <shmem.h>

#include "sim.h"

enum { PES = 3, ROUNDS = 3 };
static long counters[2], words[2];

static void *use(void *arg)
{
    int pe = (int)(long)arg;
    for (long round = 1; round <= ROUNDS; round++) {
        shmem_long_p(&words[pe - 1], round, pe);
        shmem_long_atomic_inc(&counters[0], pe);
        shmem_quiet();
        long seen = shmem_long_g(&words[pe - 1], pe);
        SIM_CHECK(seen == round, "PE %d has %ld behind the quiet of round %ld", pe, seen, round);
        seen = shmem_long_atomic_fetch_add(&counters[1], 1, pe);
        SIM_CHECK(seen == round - 1, "PE %d counts %ld in round %ld", pe, seen, round);
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
        pthread_create(&thread, NULL, use, (void *)1L);
        use((void *)2L);
        pthread_join(thread, NULL);
    }
    shmem_barrier_all();
    sim_end();
    if (shmem_my_pe() > 0)
        SIM_CHECK(counters[0] == ROUNDS && counters[1] == ROUNDS, "counted are %ld and %ld",
                  counters[0], counters[1]);
    shmem_barrier_all();
    shmem_finalize();
}

static const char *const env[] = {"CAUSEWAY_MAX_CONNECTIONS=1", NULL};
const sim_scene_t sim_scene = {
    .name = "evictions", .npes = PES, .nnodes = PES, .run = run, .env = env};
