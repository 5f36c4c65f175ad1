// SPDX-License-Identifier: BSD-3-Clause
//
// Loops of fetches by DART, of a word of this unit and of its neighbour on the node, and of what
// programs use as one or as the try of a lock, by DART and by ARMCI, give the processor away where
// units share one, as OpenSHMEM's do (conformance/p2p_yields).
#define _GNU_SOURCE
#include <armci.h>
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

static int armci_me;

static void compare_and_swap(void *with)
{
    const struct polled *p = with;
    const int64_t one = 1, two = 2;
    int64_t value = 0;
    CHECK(dart_compare_and_swap(p->word, &two, &one, &value, p->type) == DART_OK);
    CHECK(value == 0);
}

static void rmw(void *with)
{
    const int ops[] = {ARMCI_FETCH_AND_ADD, ARMCI_SWAP, ARMCI_FETCH_AND_ADD_LONG, ARMCI_SWAP_LONG};
    void **at = with;
    long found = 0;
    CHECK(ARMCI_Rmw(ops[(long)at[0]], &found, at[1], 0, armci_me) == 0);
    CHECK(found == 0);
}

static void rmws(int me)
{
    void *words[64], *loop[2];
    armci_me = me;
    CHECK(ARMCI_Init() == 0 && ARMCI_Malloc(words, sizeof(long)) == 0);
    *(long *)words[me] = 0;
    loop[1] = words[me];
    for (long op = 0; op < 4; op++) {
        loop[0] = (void *)op;
        CHECK(gives_way(rmw, loop), "operation %ld", op);
    }
    CHECK(ARMCI_Free(words[me]) == 0);
    ARMCI_Finalize();
}

static void poll(dart_gptr_t words, int unit, dart_datatype_t type)
{
    struct polled p = {words, type};
    p.word.unitid = unit;
    CHECK(gives_way(fetch, &p), "unit %d", unit);
    CHECK(gives_way(compare_and_swap, &p), "unit %d, compare and swap", unit);
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
    rmws(me.id);
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
