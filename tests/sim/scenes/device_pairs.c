// SPDX-License-Identifier: BSD-3-Clause
//
// Two units of a node, each with a part of a device of its own and a buffer on the other's, where
// the devices may reach each other's memory: what goes from buffer to part and back stays the same.
#include <dash/dart/if/dart.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "device.h"

enum { UNITS = 2, THREADS = 2, ROUNDS = 2, WORDS = 8, NBYTES = WORDS * sizeof(uint64_t) };
static dart_gptr_t parts;
static int me;

/** The words of a thread of this unit, in that unit's part. */
static dart_gptr_t at(int unit, int thread)
{
    dart_gptr_t gptr = parts;
    gptr.unitid = unit;
    gptr.addr_or_offs.offset = (uint64_t)(me * THREADS + thread) * NBYTES;
    return gptr;
}

static void put(dart_gptr_t to, const void *from)
{
    dart_put_blocking(to, from, NBYTES, DART_TYPE_BYTE, DART_TYPE_BYTE);
}

static void get(void *to, dart_gptr_t from)
{
    dart_get_blocking(to, from, NBYTES, DART_TYPE_BYTE, DART_TYPE_BYTE);
}

static void *move(void *arg)
{
    const int thread = (int)(long)arg;
    uint64_t words[WORDS], seen[WORDS], *buffer = sim_device_alloc_on(1 - me, NBYTES);
    for (int round = 0; round < ROUNDS; round++)
        for (int k = 0; k < UNITS; k++) {
            const int unit = (me + k) % UNITS;
            for (int i = 0; i < WORDS; i++)
                words[i] = (uint64_t)(1000 * me + 100 * thread + 10 * round + i);
            put(at(unit, thread), words);
            get(buffer, at(unit, thread));
            memset(seen, 0, sizeof seen);
            put(at(unit, thread), seen);
            put(at(unit, thread), buffer);
            get(seen, at(unit, thread));
            SIM_CHECK(memcmp(seen, words, sizeof seen) == 0, "word 1 of unit %d is %d, not %d",
                      unit, (int)seen[1], (int)words[1]);
        }
    sim_device_free(buffer);
    return NULL;
}

static void run(void)
{
    dart_thread_support_level_t level;
    dart_global_unit_t unit;
    pthread_t thread;
    if (sim_setting(0, 2))
        setenv("SIM_DEVICES_APART", "1", 1);
    dart_init_thread(NULL, NULL, &level);
    dart_myid(&unit);
    me = unit.id;
    const size_t nbytes = UNITS * THREADS * NBYTES;
    uint64_t *block = sim_device_alloc_on(me, nbytes);
    SIM_CHECK(dart_team_memregister(DART_TEAM_ALL, nbytes, DART_TYPE_BYTE, block, &parts) ==
                  DART_OK,
              "no registration");
    dart_barrier(DART_TEAM_ALL);
    sim_begin();
    pthread_create(&thread, NULL, move, (void *)1L);
    move((void *)0L);
    pthread_join(thread, NULL);
    dart_barrier(DART_TEAM_ALL);
    sim_end();
    dart_team_memderegister(parts);
    dart_barrier(DART_TEAM_ALL);
    sim_device_free(block);
    dart_exit();
}

static const char *const env[] = {"SIM_DEVICES=2", NULL};
const sim_scene_t sim_scene = {
    .name = "device_pairs", .npes = UNITS, .nnodes = 1, .run = run, .env = env};
