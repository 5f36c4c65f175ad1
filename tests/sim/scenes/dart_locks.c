// SPDX-License-Identifier: BSD-3-Clause
//
// A lock of DART that threads of units on two nodes want, by waits and by tries: the thread that
// has it adds to a counter of the team by a get and a put.
#include <dash/dart/if/dart.h>
#include <pthread.h>

#include "sim.h"

enum { UNITS = 3, ROUNDS = 2 };
static dart_gptr_t counter;
static dart_lock_t lock;

static void take_lock(void)
{
    int32_t mine = 0;
    if (sim_draw(2))
        dart_lock_acquire(lock);
    else
        while (!mine)
            dart_lock_try_acquire(lock, &mine);
}

static void *add(void *arg)
{
    (void)arg;
    for (int round = 0; round < ROUNDS; round++) {
        long count = -1;
        take_lock();
        dart_get_blocking(&count, counter, 1, DART_TYPE_LONG, DART_TYPE_LONG);
        count++;
        dart_put(counter, &count, 1, DART_TYPE_LONG, DART_TYPE_LONG);
        dart_lock_release(lock);
    }
    return NULL;
}

static void run(void)
{
    dart_thread_support_level_t level;
    dart_global_unit_t me;
    pthread_t thread;
    long count = 0;
    dart_init_thread(NULL, NULL, &level);
    dart_myid(&me);
    dart_team_memalloc_aligned(DART_TEAM_ALL, 1, DART_TYPE_LONG, &counter);
    if (me.id == 0)
        dart_put_blocking(counter, &count, 1, DART_TYPE_LONG, DART_TYPE_LONG);
    dart_team_lock_init(DART_TEAM_ALL, &lock);
    sim_begin();
    if (me.id == 0)
        pthread_create(&thread, NULL, add, NULL);
    add(NULL);
    if (me.id == 0)
        pthread_join(thread, NULL);
    dart_barrier(DART_TEAM_ALL);
    sim_end();
    dart_get_blocking(&count, counter, 1, DART_TYPE_LONG, DART_TYPE_LONG);
    SIM_CHECK(count == (UNITS + 1) * ROUNDS, "%ld were counted", count);
    dart_team_lock_destroy(&lock);
    dart_team_memfree(counter);
    dart_exit();
}

const sim_scene_t sim_scene = {.name = "dart_locks", .npes = UNITS, .nnodes = 2, .run = run};
