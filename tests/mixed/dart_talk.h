// SPDX-License-Identifier: BSD-3-Clause
//
// DART's part in programs of several interfaces: memory comes, allocated and registered; a put, an
// atomic and a get go to the next unit, a broadcast to all; what came from the one before is
// compared, memory goes.
#ifndef DART_TALK_H
#define DART_TALK_H

#include <dash/dart/if/dart.h>

#include "frame/check.h"

static dart_gptr_t dart_talk_at(dart_gptr_t gptr, int unit)
{
    gptr.unitid = unit;
    return gptr;
}

static void dart_talk(long turn, int me, int npes)
{
    const dart_datatype_t type = DART_TYPE_LONG;
    dart_gptr_t words, own;
    dart_global_unit_t unit;
    size_t size;
    int next = (me + 1) % npes, prev = (me + npes - 1) % npes;
    long value = turn * 100 + me, one = 1, before = -1, got = -1, sum = 0, root = me ? -1 : turn;
    long *mine, registered = 0;
    CHECK(dart_myid(&unit) == DART_OK && dart_size(&size) == DART_OK && unit.id == me &&
              (int)size == npes,
          "number of this unit");
    REQUIRE(dart_team_memalloc_aligned(DART_TEAM_ALL, 2, type, &words) == DART_OK);
    REQUIRE(dart_team_memregister(DART_TEAM_ALL, 1, type, &registered, &own) == DART_OK);
    dart_gptr_getaddr(dart_talk_at(words, me), (void **)&mine);
    mine[0] = mine[1] = 0;
    dart_barrier(DART_TEAM_ALL);
    CHECK(dart_put_blocking(dart_talk_at(words, next), &value, 1, type, type) == DART_OK);
    CHECK(dart_put_blocking(dart_talk_at(own, next), &value, 1, type, type) == DART_OK);
    CHECK(dart_get_blocking(&got, dart_talk_at(words, next), 1, type, type) == DART_OK);
    CHECK(got == value, "a get behind a put: %ld", got);
    dart_gptr_t counter = dart_talk_at(words, 0);
    counter.addr_or_offs.offset = sizeof(long);
    CHECK(dart_fetch_and_op(counter, &one, &before, type, DART_OP_SUM) == DART_OK);
    CHECK(before >= 0 && before < npes, "a counter: %ld", before);
    CHECK(dart_allreduce(&before, &sum, 1, type, DART_OP_SUM, DART_TEAM_ALL) == DART_OK);
    CHECK(sum == (long)npes * (npes - 1) / 2, "each has another number: %ld", sum);
    CHECK(dart_bcast(&root, 1, type, DART_TEAM_UNIT_ID(0), DART_TEAM_ALL) == DART_OK);
    CHECK(root == turn, "dart_bcast: %ld", root);
    CHECK(mine[0] == turn * 100 + prev, "dart_put_blocking: %ld", mine[0]);
    CHECK(registered == turn * 100 + prev, "a put to registered memory: %ld", registered);
    CHECK(dart_team_memderegister(own) == DART_OK && dart_team_memfree(words) == DART_OK);
    dart_barrier(DART_TEAM_ALL);
}

static int dart_talk_number(int *npes_p)
{
    dart_global_unit_t unit;
    size_t size;
    REQUIRE(dart_myid(&unit) == DART_OK && dart_size(&size) == DART_OK);
    *npes_p = (int)size;
    return unit.id;
}

/** Joins as a program with threads; what is provided follows from how the job was joined: multiple,
 *  or else only single. */
static void dart_talk_init(bool multiple)
{
    dart_thread_support_level_t got = (dart_thread_support_level_t)77;
    REQUIRE(dart_init_thread(NULL, NULL, &got) == DART_OK);
    CHECK(got == (multiple ? DART_THREAD_MULTIPLE : DART_THREAD_SINGLE), "provided: %d", (int)got);
}

#endif
