// SPDX-License-Identifier: BSD-3-Clause
//
// Barriers, locks and sections.
#include "every.h"

/** Notifies with the first pair, then waits (or tries until it succeeds) with the second. */
static int phase(int id, int flags, int wait_id, int wait_flags, int try)
{
    gasnet_barrier_notify(id, flags);
    if (!try)
        return gasnet_barrier_wait(wait_id, wait_flags);
    int rc;
    while ((rc = gasnet_barrier_try(wait_id, wait_flags)) == GASNET_ERR_NOT_READY)
        gasnet_AMPoll();
    return rc;
}

/** Does the last barrier have this name? -1: none. */
static int named_result(int name)
{
    int id = 77, anonymous = gasnet_barrier_result(&id);
    return name == -1 ? anonymous == 1 : anonymous == 0 && id == name;
}

void test_barriers(void)
{
    const int any = GASNET_BARRIERFLAG_ANONYMOUS, bad = GASNET_BARRIERFLAG_MISMATCH,
              differs = GASNET_ERR_BARRIER_MISMATCH;
    for (int try = 0; try < 2; try++) {
        CHECK(phase(17, 0, 17, 0, try) == GASNET_OK, "named");
        CHECK(phase(0, 0, 0, 0, try) == GASNET_OK, "named 0");
        CHECK(phase(-5, 0, -5, 0, try) == GASNET_OK, "named -5");
        CHECK(phase((int)me, any, 3, any, try) == GASNET_OK, "anonymous with any id");
        CHECK(phase(8, me == 0 ? 0 : any, 8, me == 0 ? 0 : any, try) == GASNET_OK,
              "one named, others anonymous");
        int rc = phase((int)me, 0, (int)me, 0, try), wanted = nodes > 1 ? differs : GASNET_OK;
        CHECK(rc == wanted, "each its own name: %d", rc);
        CHECK(phase(me == nodes - 1 ? 4 : 5, 0, me == nodes - 1 ? 4 : 5, 0, try) == wanted,
              "one other name");
        CHECK(phase(1, me == 0 ? bad : 0, 1, me == 0 ? bad : 0, try) == differs,
              "a mismatch that one node forces");
        CHECK(phase(1, me == nodes - 1 ? bad : any, 1, me == nodes - 1 ? bad : any, try) == differs,
              "and among anonymous");
        CHECK(phase(6, 0, 7, 0, try) == differs, "another id in wait");
        CHECK(phase(6, 0, 9, any, try) == GASNET_OK, "named, and an anonymous wait");
        CHECK(named_result(6), "the name that all gave");
        CHECK(phase(6, any, 9, 0, try) == GASNET_OK, "anonymous, and a named wait");
        CHECK(named_result(-1), "no name");
        CHECK(phase(6, any, 6, GASNET_BARRIERFLAG_UNNAMED, try) == GASNET_OK, "unnamed wait");
        CHECK(phase(6, GASNET_BARRIERFLAG_IMAGES, 6, 0, try) == GASNET_OK, "images");
        // the name of node 0 is that of all; the others wait with it or with another one
        CHECK(phase(11, me == 0 ? 0 : any, 11, 0, try) == GASNET_OK, "the name of node 0");
        CHECK(named_result(11), "the name that one gave");
        CHECK(phase(11, me == 0 ? 0 : any, 12, 0, try) == differs, "not the name of node 0");
        CHECK(phase(6, 0, 6, 0, try) == GASNET_OK, "all is well afterwards");
    }
    // No node passes before all have notified: each counts itself at node 0 before, and checks
    // after.
    uint64_t *counter = (uint64_t *)(void *)(mine + SEGMENT - 4096);
    memset(counter, 0, 4096);
    barrier();
    for (uint64_t round = 1; round <= 200; round++) {
        gasnet_put_val(next, theirs + SEGMENT - 4096, round, 8);
        int flags = round % 3 ? 0 : any;
        gasnet_barrier_notify((int)round, flags);
        int rc = round % 2 ? gasnet_barrier_wait((int)round, flags) : GASNET_ERR_NOT_READY;
        while (rc == GASNET_ERR_NOT_READY)
            rc = gasnet_barrier_try((int)round, flags);
        uint64_t seen = *(volatile uint64_t *)counter;
        CHECK(rc == GASNET_OK && (seen == round || seen == round + 1), "round %d: %d, counter %d",
              (int)round, rc, (int)seen);
    }
    barrier();
}

void test_locks(void)
{
    static gasnet_hsl_t fixed = GASNET_HSL_INITIALIZER;
    gasnet_hsl_t made;
    gasnet_hsl_init(&made);
    for (int i = 0; i < 3; i++) {
        gasnet_hsl_lock(&fixed);
        gasnet_hsl_lock(&made);
        CHECK(gasnet_mynode() == me, "mynode under a lock");
        gasnet_hsl_unlock(&made);
        CHECK(gasnet_hsl_trylock(&made) == GASNET_OK, "trylock of a free lock");
        gasnet_hsl_unlock(&made);
        gasnet_hsl_unlock(&fixed);
    }
    gasnet_hsl_destroy(&made);
    gasnet_hsl_init(&made);
    CHECK(gasnet_hsl_trylock(&made) == GASNET_OK, "trylock of a lock that was made again");
    gasnet_hsl_unlock(&made);
    gasnet_hsl_destroy(&made);
    gasnet_hold_interrupts();
    CHECK(gasnet_nodes() == nodes, "nodes in a section");
    gasnet_hsl_lock(&fixed);
    gasnet_resume_interrupts();  // ignored, as are those of handlers (every_am.c)
    gasnet_hold_interrupts();
    gasnet_hsl_unlock(&fixed);
    gasnet_resume_interrupts();
}
