// SPDX-License-Identifier: BSD-3-Clause
//
// Two threads of a PE are in collectives of active sets of all PEs at once, each with psync arrays
// of its own; a PE that was initialised without threads makes the same calls one by one.
#include <pthread.h>
#include <shmem.h>
#include <stdbool.h>

#include "sim.h"

enum { PES = 3, THREADS = 2, ROUNDS = 2, ARRAYS = 2 * ROUNDS };
static long psync[THREADS][ARRAYS][SHMEM_REDUCE_SYNC_SIZE];
static long work[THREADS][SHMEM_REDUCE_MIN_WRKDATA_SIZE];
static long source[THREADS], dest[THREADS], word[THREADS];

static void *call(void *arg)
{
    int i = (int)(long)arg, me = shmem_my_pe();
    for (long round = 0; round < ROUNDS; round++) {
        const long value = 100 * i + 10 * round;
        source[i] = value + me;
        shmem_long_sum_to_all(&dest[i], &source[i], 1, 0, 0, PES, work[i], psync[i][2 * round]);
        SIM_CHECK(dest[i] == PES * (value + 1), "thread %d, round %ld: the sum is %ld", i, round,
                  dest[i]);
        shmem_long_p(&word[i], value + me, (me + 1) % PES);
        shmem_barrier(0, 0, PES, psync[i][2 * round + 1]);
        SIM_CHECK(word[i] == value + (me + PES - 1) % PES, "thread %d, round %ld: the word is %ld",
                  i, round, word[i]);
    }
    return NULL;
}

static void run(void)
{
    int provided;
    pthread_t thread;
    for (long *at = &psync[0][0][0]; at < &psync[THREADS][0][0]; at++)
        *at = SHMEM_SYNC_VALUE;
    const bool threads = sim_draw(4) > 0;  // PEs choose their levels by themselves
    shmem_init_thread(threads ? SHMEM_THREAD_MULTIPLE : SHMEM_THREAD_SINGLE, &provided);
    shmem_barrier_all();
    sim_begin();
    if (threads)
        pthread_create(&thread, NULL, call, (void *)1L);
    call((void *)0L);
    if (threads)
        pthread_join(thread, NULL);
    else
        call((void *)1L);
    shmem_barrier_all();
    sim_end();
    shmem_finalize();
}

const sim_scene_t sim_scene = {.name = "set_threads", .npes = PES, .nnodes = 2, .run = run};
