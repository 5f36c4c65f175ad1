// SPDX-License-Identifier: BSD-3-Clause
//
// Loops of fetches by DART, of a word of this unit and of its neighbour on the node, give the
// processor away where units share one, as OpenSHMEM's do (conformance/p2p_yields): counted in
// calls of sched_yield, which this program defines in the C library's place, or in sleeps.
#define _GNU_SOURCE
#include <dash/dart/if/dart.h>
#include <stdint.h>

#include "frame/check.h"
#include "frame/yields.h"

enum { FETCHES = 40000, LEAST = 10 };

static void poll(dart_gptr_t words, int unit, dart_datatype_t type)
{
    words.unitid = unit;
    yields = 0;
    const long slept = sleeps();
    for (int i = 0; i < FETCHES; i++) {
        int64_t value = 0;
        CHECK(dart_fetch_and_op(words, NULL, &value, type, DART_OP_NO_OP) == DART_OK);
        CHECK(value == 0);
    }
    CHECK(yields + sleeps() - slept > LEAST, "unit %d: %d yields and %ld sleeps", unit, yields,
          sleeps() - slept);
}

int main(int argc, char **argv)
{
    dart_init(&argc, &argv);
    dart_global_unit_t me;
    size_t units;
    dart_gptr_t words;
    dart_myid(&me);
    dart_size(&units);
    check_as("unit", me.id, (int)units);
    CHECK(dart_team_memalloc_aligned(DART_TEAM_ALL, 1, DART_TYPE_LONG, &words) == DART_OK);
    const int64_t zero = 0;
    dart_gptr_t mine = words;
    mine.unitid = me.id;
    CHECK(dart_put_blocking(mine, &zero, 1, DART_TYPE_LONG, DART_TYPE_LONG) == DART_OK);
    dart_barrier(DART_TEAM_ALL);
    for (int unit = me.id; unit >= 0 && unit >= me.id - 1; unit--) {
        poll(words, unit, DART_TYPE_LONG);
        poll(words, unit, DART_TYPE_INT);
    }
    dart_barrier(DART_TEAM_ALL);
    for (int i = 0; i < 10; i++) {  // and every change is seen
        int64_t one = 1, was = -1;
        CHECK(dart_fetch_and_op(mine, &one, &was, DART_TYPE_LONG, DART_OP_SUM) == DART_OK);
        for (int k = 0; k < 2; k++) {
            CHECK(dart_fetch_and_op(mine, NULL, &was, DART_TYPE_LONG, DART_OP_NO_OP) == DART_OK);
            CHECK(was == i + 1);
        }
    }
    dart_barrier(DART_TEAM_ALL);
    CHECK(dart_team_memfree(words) == DART_OK);
    dart_exit();
    return check_result();
}
