// SPDX-License-Identifier: BSD-3-Clause
//
// Segments of DART: one thread of each unit makes and frees them, and registers memory whose ends
// differ from unit to unit, while another one uses a segment that stays.
#include <dash/dart/if/dart.h>
#include <pthread.h>

#include "sim.h"

enum { UNITS = 2, ROUNDS = 3, USES = 10, PARTS = 3 };
static dart_gptr_t stays;
static int me;
static long others[PARTS - 1][8], *memory[PARTS] = {NULL, others[0], others[1]};

static void *use(void *arg)
{
    dart_gptr_t at = stays;
    (void)arg;
    at.unitid = !me;
    for (long i = 0; i < USES; i++) {
        long seen = -1, value = 100 * me + i;
        dart_put_blocking(at, &value, 1, DART_TYPE_LONG, DART_TYPE_LONG);
        dart_get_blocking(&seen, at, 1, DART_TYPE_LONG, DART_TYPE_LONG);
        SIM_CHECK(seen == value, "a unit reads %ld where it wrote %ld", seen, value);
    }
    return NULL;
}

static void make_and_free(void)
{
    for (long round = 0; round < ROUNDS; round++) {
        dart_gptr_t made;
        long value = round, seen = -1;
        dart_team_memalloc_aligned(DART_TEAM_ALL, (size_t)(2 + me), DART_TYPE_LONG, &made);
        made.unitid = !me;
        made.addr_or_offs.offset = (uint64_t)(1 + !me) * sizeof(long);  // the last one there
        dart_put_blocking(made, &value, 1, DART_TYPE_LONG, DART_TYPE_LONG);
        dart_get_blocking(&seen, made, 1, DART_TYPE_LONG, DART_TYPE_LONG);
        SIM_CHECK(seen == value, "a new segment has %ld, not %ld", seen, value);
        made.unitid = 0;
        made.addr_or_offs.offset = 0;
        dart_team_memfree(made);
    }
}

static dart_gptr_t enroll(int part)
{
    dart_gptr_t made = DART_GPTR_NULL;
    memory[part][0] = 10 * part + me;
    dart_team_memregister(DART_TEAM_ALL, 8, DART_TYPE_LONG, memory[part], &made);
    // a pointer is one for all units
    dart_bcast(&made, sizeof made, DART_TYPE_BYTE, DART_TEAM_UNIT_ID(1), DART_TEAM_ALL);
    return made;
}

static void check(dart_gptr_t of, int part)
{
    long seen = -1;
    of.unitid = !me;
    dart_barrier(DART_TEAM_ALL);
    dart_get_blocking(&seen, of, 1, DART_TYPE_LONG, DART_TYPE_LONG);
    SIM_CHECK(seen == 10 * part + !me, "part %d of unit %d gives %ld", part, !me, seen);
    dart_barrier(DART_TEAM_ALL);
}

static void enroll_and_end(void)
{
    dart_gptr_t own, first, second, third;
    dart_memalloc(8, DART_TYPE_LONG, &own);
    dart_gptr_getaddr(own, (void **)&memory[0]);
    first = enroll(0);
    second = enroll(1);
    check(first, 0);
    check(second, 1);
    dart_team_memderegister(me ? first : second);
    third = enroll(2);
    check(third, 2);
    dart_team_memderegister(me ? second : first);
    dart_team_memderegister(third);
    dart_memfree(own);
}

static void run(void)
{
    dart_thread_support_level_t level;
    dart_global_unit_t unit;
    pthread_t thread;
    dart_init_thread(NULL, NULL, &level);
    dart_myid(&unit);
    me = unit.id;
    dart_team_memalloc_aligned(DART_TEAM_ALL, 2, DART_TYPE_LONG, &stays);
    dart_barrier(DART_TEAM_ALL);
    sim_begin();
    pthread_create(&thread, NULL, use, NULL);
    make_and_free();
    enroll_and_end();
    pthread_join(thread, NULL);
    dart_barrier(DART_TEAM_ALL);
    sim_end();
    dart_exit();
}

const sim_scene_t sim_scene = {.name = "dart_segments", .npes = UNITS, .nnodes = 2, .run = run};
