// SPDX-License-Identifier: BSD-3-Clause
//
// Loops of fetches by DART, of a word of this unit and of its neighbour on the node, give the
// processor away where units share one, as OpenSHMEM's do (conformance/p2p_yields).
#define _GNU_SOURCE
#include <dash/dart/if/dart.h>
#include <stdint.h>

#include "frame/check.h"
#include "frame/yields.h"

struct polled {
    dart_gptr_t word;
    dart_datatype_t type;
};

static void fetch(void *with)
{
    const struct polled *p = with;
    int64_t value = 0;
    CHECK(dart_fetch_and_op(p->word, NULL, &value, p->type, DART_OP_NO_OP) == DART_OK);
    CHECK(value == 0);
}

static void poll(dart_gptr_t words, int unit, dart_datatype_t type)
{
    struct polled p = {words, type};
    p.word.unitid = unit;
    CHECK(gives_way(fetch, &p), "unit %d", unit);
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
