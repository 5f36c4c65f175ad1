// SPDX-License-Identifier: BSD-3-Clause
//
// Types of DART with gaps, made and destroyed by threads while others use theirs; puts and gets
// that are complete behind a wait or a test for all their handles; where each unit runs.
#include <dash/dart/if/dart.h>
#include <dash/dart/if/dart_locality.h>
#include <pthread.h>
#include <string.h>

#include "sim.h"

enum { UNITS = 3, THREADS = 2, ROUNDS = 1, LONGS = 32, SETS = 4, HANDLES = 4 };
static dart_gptr_t memory;
static int me;

static dart_gptr_t at(int unit, int thread, int word)
{
    dart_gptr_t p = memory;
    p.unitid = unit % UNITS;
    // of each unit and thread that writes
    p.addr_or_offs.offset = sizeof(long) * (uint64_t)((me * THREADS + thread) * LONGS + word);
    return p;
}

/** Two of three longs, or the first and the last of four. */
static dart_datatype_t make_type(long thread)
{
    static const size_t lengths[2] = {1, 1}, places[2] = {0, 3};
    dart_datatype_t type = DART_TYPE_UNDEFINED;
    dart_ret_t rc = thread ? dart_type_create_indexed(DART_TYPE_LONG, 2, lengths, places, &type)
                           : dart_type_create_strided(DART_TYPE_LONG, 3, 2, &type);
    SIM_CHECK(rc == DART_OK, "a type is not made");
    return type;
}

static void use_type(int to, int thread, long value)
{
    long from[2 * SETS], seen[2 * SETS] = {0};
    dart_datatype_t type = make_type(thread);
    for (int i = 0; i < 2 * SETS; i++)
        from[i] = value + i;
    dart_put_blocking(at(to, thread, 0), from, 2 * SETS, DART_TYPE_LONG, type);
    dart_get_blocking(seen, at(to, thread, 0), 2 * SETS, type, DART_TYPE_LONG);
    SIM_CHECK(memcmp(from, seen, sizeof from) == 0, "a get of a type brings %ld to %ld, not %ld",
              seen[0], seen[2 * SETS - 1], value);
    long word = -1;
    dart_get_blocking(&word, at(to, thread, thread ? 3 : 1), 1, DART_TYPE_LONG, DART_TYPE_LONG);
    SIM_CHECK(word == value + 1, "the second element is %ld, not %ld", word, value + 1);
    dart_type_destroy(&type);
}

static void await(dart_handle_t *handles, uint32_t how)
{
    int32_t done = 0;
    switch (how) {
    case 0:
        dart_waitall(handles, HANDLES);
        break;
    case 1:
        while (!done) {
            dart_testall(handles, HANDLES, &done);
            sim_look_again();
        }
        break;
    default:
        for (int i = 0; i < HANDLES; i++)
            dart_wait(&handles[i]);
    }
}

static void use_handles(int to, int thread, long value)
{
    dart_handle_t handles[HANDLES];
    long from[HANDLES], seen[HANDLES];
    for (int i = 0; i < HANDLES; i++) {
        from[i] = value + i;
        dart_put_handle(at(to, thread, 16 + i), &from[i], 1, DART_TYPE_LONG, DART_TYPE_LONG,
                        &handles[i]);
    }
    await(handles, sim_draw(3));
    for (int i = 0; i < HANDLES; i++)
        dart_get_handle(&seen[i], at(to, thread, 16 + i), 1, DART_TYPE_LONG, DART_TYPE_LONG,
                        &handles[i]);
    if (sim_draw(2))
        await(handles, sim_draw(3));
    else if (sim_draw(2))
        dart_waitall_local(handles, HANDLES);
    else
        for (int i = 0; i < HANDLES; i++)
            dart_wait_local(&handles[i]);
    SIM_CHECK(memcmp(from, seen, sizeof from) == 0, "handles bring %ld to %ld, not %ld", seen[0],
              seen[HANDLES - 1], value);
}

static void find_places(void)
{
    for (int unit = 0; unit < UNITS; unit++) {
        dart_unit_locality_t *where = NULL;
        dart_ret_t rc = dart_unit_locality(DART_TEAM_ALL, DART_TEAM_UNIT_ID(unit), &where);
        SIM_CHECK(rc == DART_OK && where && where->unit.id == unit, "unit %d is nowhere", unit);
    }
}

/** Twice: the first line names the caller. */
static void be_refused(void)
{
    long value = 1;
    dart_gptr_t none = memory;
    none.segid = 30000;
    for (volatile int i = 0; i < 2; i++)  // one place of the code
        SIM_CHECK(dart_put(none, &value, 1, DART_TYPE_LONG, DART_TYPE_LONG) == DART_ERR_INVAL,
                  "a put to a segment that does not exist is not refused");
}

static void *use(void *arg)
{
    int thread = (int)(long)arg;
    for (int round = 1; round <= ROUNDS; round++) {
        int to = (int)sim_draw(UNITS);
        use_type(to, thread, 100 * round + 10 * me);
        use_handles(to, thread, 100 * round + 10 * me);
        if (round == 1)
            find_places();
    }
    return NULL;
}

static void run(void)
{
    dart_thread_support_level_t level;
    dart_global_unit_t unit;
    pthread_t thread;
    dart_init_thread(NULL, NULL, &level);
    dart_myid(&unit);
    me = unit.id;
    dart_team_memalloc_aligned(DART_TEAM_ALL, UNITS * THREADS * LONGS, DART_TYPE_LONG, &memory);
    if (me == 0)
        be_refused();
    dart_barrier(DART_TEAM_ALL);
    sim_begin();
    pthread_create(&thread, NULL, use, (void *)1L);
    use((void *)0L);
    pthread_join(thread, NULL);
    dart_barrier(DART_TEAM_ALL);
    sim_end();
    dart_exit();
}

const sim_scene_t sim_scene = {
    .name = "dart_types", .npes = UNITS, .nnodes = 2, .run = run, .most_steps = 64000000};
