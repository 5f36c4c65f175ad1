// SPDX-License-Identifier: BSD-3-Clause
//
// Messages of DART announced by puts with signals of OpenSHMEM, beside a thread that sends and
// receives others: what waits for a signal takes the messages of both, in any order, and wakes the
// thread that sleeps until its own comes.
#include <dash/dart/if/dart.h>
#include <pthread.h>
#include <shmem.h>

#include "sim.h"

enum { UNITS = 3, ROUNDS = 3, ANNOUNCED = 1, OTHER };
static long data;
static uint64_t signal_word;
static int next, before;

static void send(int tag, long value)
{
    dart_send(&value, 1, DART_TYPE_LONG, tag, DART_GLOBAL_UNIT_ID(next));
}

static void receive(int tag, long value)
{
    long seen = -1;
    dart_recv(&seen, 1, DART_TYPE_LONG, tag, DART_GLOBAL_UNIT_ID(before));
    SIM_CHECK(seen == value, "a message with tag %d brings %ld, not %ld", tag, seen, value);
}

static void *exchange(void *arg)
{
    for (long round = 1; round <= ROUNDS; round++)
        send(OTHER, 10 * round);
    for (long round = 1; round <= ROUNDS; round++)
        receive(OTHER, 10 * round);
    return arg;
}

static void run(void)
{
    int provided;
    dart_thread_support_level_t level;
    dart_global_unit_t me;
    shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided);
    dart_init_thread(NULL, NULL, &level);
    dart_myid(&me);
    next = (me.id + 1) % UNITS;
    before = (me.id + UNITS - 1) % UNITS;
    dart_barrier(DART_TEAM_ALL);
    sim_begin();
    pthread_t thread;
    pthread_create(&thread, NULL, exchange, NULL);
    for (long round = 1; round <= ROUNDS; round++) {
        send(ANNOUNCED, round);
        shmem_long_put_signal(&data, &round, 1, &signal_word, 1, SHMEM_SIGNAL_ADD, next);
        shmem_signal_wait_until(&signal_word, SHMEM_CMP_GE, (uint64_t)round);
        SIM_CHECK(data >= round, "data is %ld behind signal %ld", data, round);
        receive(ANNOUNCED, round);
    }
    pthread_join(thread, NULL);
    shmem_barrier_all();
    sim_end();
    dart_exit();
    shmem_finalize();
}

const sim_scene_t sim_scene = {.name = "announced", .npes = UNITS, .nnodes = 2, .run = run};
