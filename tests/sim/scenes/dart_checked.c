// SPDX-License-Identifier: BSD-3-Clause
//
// Memory of one unit alone, in checking mode: other units, of its node and of another one, write
// and read a block while two threads of the unit free others, allocate new ones, and use them. Each
// right transfer passes the check.
#include <dash/dart/if/dart.h>
#include <pthread.h>

#include "sim.h"

enum { UNITS = 3, ROUNDS = 3, LOOKS = 5, OLD = 2 };
static dart_gptr_t shared, there;
static int me;

static dart_gptr_t local(void)
{
    dart_gptr_t made;
    SIM_CHECK(dart_memalloc(UNITS * LOOKS, DART_TYPE_LONG, &made) == DART_OK, "no memory");
    return made;
}

/** The block that unit 0 keeps, behind those that it frees. */
static dart_gptr_t kept_there(void)
{
    dart_gptr_t p = shared, kept;
    p.unitid = 0;
    SIM_CHECK(dart_get_blocking(&kept, p, sizeof kept, DART_TYPE_BYTE, DART_TYPE_BYTE) == DART_OK,
              "no pointer");
    return kept;
}

static void *renew(void *arg)
{
    dart_gptr_t *old = arg;
    for (long round = 1; round <= ROUNDS; round++) {
        long seen = -1;
        SIM_CHECK(dart_memfree(*old) == DART_OK, "a block is not freed");
        *old = local();
        SIM_CHECK(dart_put_blocking(*old, &round, 1, DART_TYPE_LONG, DART_TYPE_LONG) == DART_OK &&
                      dart_get_blocking(&seen, *old, 1, DART_TYPE_LONG, DART_TYPE_LONG) ==
                          DART_OK &&
                      seen == round,
                  "a new block has %ld in round %ld", seen, round);
    }
    return NULL;
}

static void look(void)
{
    const dart_gptr_t kept = there;
    for (long i = 1; i <= LOOKS; i++) {
        dart_gptr_t word = kept;
        dart_handle_t handle;
        long value = 10 * me + i, seen = -1;
        word.addr_or_offs.offset += (uint64_t)(me * LOOKS + i - 1) * sizeof value;  // checked anew
        SIM_CHECK(dart_put_blocking(word, &value, 1, DART_TYPE_LONG, DART_TYPE_LONG) == DART_OK,
                  "a put to memory of unit 0 is refused");
        SIM_CHECK(dart_get_handle(&seen, word, 1, DART_TYPE_LONG, DART_TYPE_LONG, &handle) ==
                      DART_OK,
                  "a get of memory of unit 0 is refused");
        SIM_CHECK(dart_wait(&handle) == DART_OK && seen == value, "%ld is there, not %ld", seen,
                  value);
    }
}

static void run(void)
{
    dart_thread_support_level_t level;
    dart_global_unit_t unit;
    pthread_t thread;
    dart_gptr_t old[OLD];
    dart_init_thread(NULL, NULL, &level);
    dart_myid(&unit);
    me = unit.id;
    for (int i = 0; i < OLD; i++)
        old[i] = local();
    dart_gptr_t kept = local(), mine;
    dart_team_memalloc_aligned(DART_TEAM_ALL, sizeof kept, DART_TYPE_BYTE, &shared);
    mine = shared;
    mine.unitid = me;
    dart_put_blocking(mine, &kept, sizeof kept, DART_TYPE_BYTE, DART_TYPE_BYTE);
    dart_barrier(DART_TEAM_ALL);
    there = kept_there();
    dart_barrier(DART_TEAM_ALL);
    sim_begin();
    if (me == 0) {
        pthread_create(&thread, NULL, renew, &old[1]);
        renew(&old[0]);
        pthread_join(thread, NULL);
    } else {
        look();
    }
    dart_barrier(DART_TEAM_ALL);
    sim_end();
    dart_exit();
}

static const char *const env[] = {"CAUSEWAY_CHECK=1", NULL};
const sim_scene_t sim_scene = {
    .name = "dart_checked", .npes = UNITS, .nnodes = 2, .run = run, .env = env};
