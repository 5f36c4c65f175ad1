// SPDX-License-Identifier: BSD-3-Clause
//
// Device memory that DART registers: one thread of each unit uses a part that stays, of an
// allocation of which another thread registers other parts, uses and ends them, and frees and
// allocates memory in between. Two units are of one node, and the third asks their node's server;
// now and then the device lends nothing, and owners copy.
#include <dash/dart/if/dart.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "device.h"

enum { UNITS = 3, ROUNDS = 2, USES = 4, WORDS = 16, PART = WORDS * sizeof(uint64_t) };
static dart_gptr_t stays;
static uint64_t *block;  // on the device: the part that stays, then one that comes and goes
static int me;

static dart_gptr_t at(dart_gptr_t gptr, int unit, size_t word)
{
    gptr.unitid = unit;
    gptr.addr_or_offs.offset = word * sizeof(uint64_t);
    return gptr;
}

static void put(dart_gptr_t to, uint64_t value)
{
    dart_put_blocking(to, &value, sizeof value, DART_TYPE_BYTE, DART_TYPE_BYTE);
}

static uint64_t get(dart_gptr_t from)
{
    uint64_t value = 0;
    dart_get_blocking(&value, from, sizeof value, DART_TYPE_BYTE, DART_TYPE_BYTE);
    return value;
}

static void *use(void *arg)
{
    const int to = (me + 1) % UNITS;
    (void)arg;
    for (uint64_t i = 1; i <= USES; i++) {
        const int unit = i % 2 ? to : (me + 2) % UNITS;
        const uint64_t value = 1000 * (uint64_t)me + i;
        put(at(stays, unit, (size_t)me), value);
        uint64_t seen = get(at(stays, unit, (size_t)me));
        SIM_CHECK(seen == value, "unit %d reads %d where it wrote %d", unit, (int)seen, (int)value);
    }
    return NULL;
}

static uint64_t mark(int unit, uint64_t round, int which)
{
    return 100000 + 1000 * (uint64_t)which + 100 * round + (uint64_t)unit;
}

/** memory: this unit's part, whose first word is marked. */
static dart_gptr_t enroll(uint64_t *memory, uint64_t round, int which)
{
    dart_gptr_t made;
    memory[0] = mark(me, round, which);
    SIM_CHECK(dart_team_memregister(DART_TEAM_ALL, PART, DART_TYPE_BYTE, memory, &made) == DART_OK,
              "no registration");
    dart_barrier(DART_TEAM_ALL);
    return made;
}

static void look(dart_gptr_t of, uint64_t round, int which)
{
    for (int k = 1; k < UNITS; k++) {
        const int unit = (me + k) % UNITS;
        uint64_t seen = get(at(of, unit, 0));
        SIM_CHECK(seen == mark(unit, round, which), "part %d of unit %d has %d in round %d", which,
                  unit, (int)seen, (int)round);
        put(at(of, unit, 1 + (size_t)me), seen + 1);
        seen = get(at(of, unit, 1 + (size_t)me));
        SIM_CHECK(seen == mark(unit, round, which) + 1, "a put to unit %d is gone", unit);
    }
}

static void end(dart_gptr_t of)
{
    dart_barrier(DART_TEAM_ALL);
    dart_team_memderegister(of);
    dart_barrier(DART_TEAM_ALL);
}

static void come_and_go(dart_gptr_t beside)
{
    for (uint64_t round = 1; round <= ROUNDS; round++) {
        if (round > 1)
            beside = enroll(block + WORDS, round, 1);
        look(beside, round, 1);
        uint64_t *fresh = sim_device_alloc(PART);
        dart_gptr_t other = enroll(fresh, round, 2);
        look(other, round, 2);
        end(sim_setting(0, 2) ? beside : other);
        look(sim_setting(0, 2) ? other : beside, round, sim_setting(0, 2) ? 2 : 1);
        end(sim_setting(0, 2) ? other : beside);
        sim_device_free(fresh);
    }
}

static void run(void)
{
    dart_thread_support_level_t level;
    dart_global_unit_t unit;
    pthread_t thread;
    if (sim_setting(1, 4) == 0)
        setenv("SIM_DEVICE_KEEPS", "1", 1);
    dart_init_thread(NULL, NULL, &level);
    dart_myid(&unit);
    me = unit.id;
    block = sim_device_alloc(2 * PART);
    SIM_CHECK(dart_team_memregister(DART_TEAM_ALL, PART, DART_TYPE_BYTE, block, &stays) == DART_OK,
              "no registration");
    dart_barrier(DART_TEAM_ALL);
    dart_gptr_t beside = enroll(block + WORDS, 1, 1);
    sim_begin();
    pthread_create(&thread, NULL, use, NULL);  // both look at each other unit's allocation at first
    come_and_go(beside);
    pthread_join(thread, NULL);
    dart_barrier(DART_TEAM_ALL);
    sim_end();
    dart_team_memderegister(stays);
    dart_barrier(DART_TEAM_ALL);
    sim_device_free(block);
    dart_exit();
}

const sim_scene_t sim_scene = {.name = "device_parts", .npes = UNITS, .nnodes = 2, .run = run};
