// SPDX-License-Identifier: BSD-3-Clause
//
// Threads whose calls are counted, traced and checked, in all kinds of output: transfers, atomics,
// waits and collectives do what they do without, and all PEs end, also if one is asked meanwhile
// what it does.
#include <pthread.h>
#include <shmem.h>
#include <signal.h>
#include <stdlib.h>

#include "sim.h"

enum { PES = 3, THREADS = 2, ROUNDS = 2, WORDS = 40 };
static long data[THREADS][WORDS], flags[THREADS], seen[THREADS], counter, sum[2];
static long lock;

static void *work(void *arg)
{
    long thread = (long)arg, me = shmem_my_pe(), next = (me + 1) % PES, from[WORDS];
    for (long round = 1; round <= ROUNDS; round++) {
        for (int i = 0; i < WORDS; i++)
            from[i] = 100 * round + me;
        shmem_long_put(data[thread], from, WORDS, (int)next);
        shmem_fence();
        shmem_long_atomic_set(&flags[thread], round, (int)next);
        shmem_long_wait_until(&flags[thread], SHMEM_CMP_GE, round);
        long before = (me + PES - 1) % PES;
        SIM_CHECK(data[thread][0] == 100 * round + before &&
                      data[thread][WORDS - 1] == 100 * round + before,
                  "%ld and %ld are there behind flag %ld", data[thread][0], data[thread][WORDS - 1],
                  round);
        shmem_long_atomic_inc(&counter, 0);
        if (thread == 0 && sim_draw(32) == 0)  // one thread: symbols are read under a lock of libc
            raise(SIGURG);
        // the next put is behind the last look at this one
        shmem_long_atomic_set(&seen[thread], round, (int)before);
        shmem_long_wait_until(&seen[thread], SHMEM_CMP_GE, round);
    }
    return NULL;
}

static void run(void)
{
    static const char *const kinds[] = {"0", "1", "pes", "json:/dev/null"};
    pthread_t thread;
    int provided;
    sim_begin();
    uint64_t how = sim_seed();  // one for all PEs
    setenv("CAUSEWAY_STATS", kinds[how % 4], 1);
    if (how / 4 % 2)
        setenv("CAUSEWAY_TRACE", "/dev/null", 1);
    setenv("CAUSEWAY_TRACE_EVENTS", how / 8 % 2 ? "16" : "40", 1);  // more take long to collect
    if (how / 16 % 3 == 0)
        setenv("CAUSEWAY_CHECK", "1", 1);
    shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided);
    int me = shmem_my_pe();
    shmem_barrier_all();
    pthread_create(&thread, NULL, work, (void *)1L);
    work((void *)0L);
    pthread_join(thread, NULL);
    shmem_set_lock(&lock);
    shmem_long_p(&data[0][me], shmem_long_g(&data[0][me], 0), 0);
    shmem_clear_lock(&lock);
    shmem_barrier_all();
    SIM_CHECK(me || counter == PES * THREADS * ROUNDS, "counted are %ld", counter);
    sum[0] = me;
    shmem_long_sum_reduce(SHMEM_TEAM_WORLD, &sum[1], &sum[0], 1);
    SIM_CHECK(sum[1] == PES * (PES - 1) / 2, "the sum is %ld", sum[1]);
    shmem_barrier_all();
    shmem_finalize();
    sim_end();
}

const sim_scene_t sim_scene = {.name = "observed",
                               .npes = PES,
                               .nnodes = 2,
                               .run = run,
                               .most_steps = 64000000,
                               .most_ns = 20000000000};
