// SPDX-License-Identifier: BSD-3-Clause
//
// Locks: PEs of two nodes count under a lock, some by tests in a loop, while another thread of each
// counts under another one. No count is lost, and the lock is free for the next round.
#include <pthread.h>
#include <shmem.h>
#include <unistd.h>

#include "sim.h"

enum { PES = 3, ROUNDS = 2 };
static long locks[2], counts[2], marks[2];

static void enter(long *lock)
{
    if (sim_draw(3)) {
        shmem_set_lock(lock);
        return;
    }
    while (shmem_test_lock(lock) != 0)
        usleep(20);
}

static void *count(void *arg)
{
    int i = (int)(long)arg, home = i;
    for (int round = 0; round < ROUNDS; round++) {
        enter(&locks[i]);
        long n = shmem_long_g(&counts[i], home), mark = shmem_long_g(&marks[i], PES - 1);
        SIM_CHECK(n == mark, "the holder of lock %d sees %ld and %ld", i, n, mark);
        shmem_long_p(&marks[i], n + 1, PES - 1);
        shmem_long_p(&counts[i], n + 1, home);
        shmem_clear_lock(&locks[i]);
    }
    return NULL;
}

static void run(void)
{
    int provided;
    pthread_t thread;
    shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided);
    shmem_barrier_all();
    sim_begin();
    pthread_create(&thread, NULL, count, (void *)1L);
    count((void *)0L);
    pthread_join(thread, NULL);
    shmem_barrier_all();
    sim_end();
    if (shmem_my_pe() == PES - 1)
        SIM_CHECK(marks[0] == PES * ROUNDS && marks[1] == PES * ROUNDS, "counted are %ld and %ld",
                  marks[0], marks[1]);
    shmem_barrier_all();
    shmem_finalize();
}

const sim_scene_t sim_scene = {.name = "locks", .npes = PES, .nnodes = 2, .run = run};
