// SPDX-License-Identifier: BSD-3-Clause
//
// Memory past its end, and after it was freed: each has a code, and in checking mode a line
// (misuse.py).
#include <dash/dart/if/dart.h>

#include "frame/check.h"

static dart_gptr_t at(dart_gptr_t gptr, int unit, int64_t offset)
{
    dart_gptr_setunit(&gptr, DART_TEAM_UNIT_ID(unit));
    dart_gptr_incaddr(&gptr, offset);
    return gptr;
}

static int few[2];

#define REFUSED(call) CHECK((call) == DART_ERR_INVAL)

/** Of unit 1 alone: pointers have its number in the team, 0. */
static void in_team(bool member)
{
    dart_group_t group;
    dart_team_t team;
    dart_gptr_t gptr;
    int word = 0;
    CHECK(dart_group_create(&group) == DART_OK);
    CHECK(dart_group_addmember(group, DART_GLOBAL_UNIT_ID(1)) == DART_OK);
    CHECK(dart_team_create(DART_TEAM_ALL, group, &team) == DART_OK);
    CHECK(dart_group_destroy(&group) == DART_OK);
    if (!member)
        return;
    CHECK(dart_team_memalloc_aligned(team, 1, DART_TYPE_INT, &gptr) == DART_OK);
    REFUSED(dart_put_blocking(at(gptr, 1, 0), &word, 1, DART_TYPE_INT, DART_TYPE_INT));
    CHECK(dart_team_memfree(gptr) == DART_OK);
    CHECK(dart_team_destroy(&team) == DART_OK);
}

/** Of collectives, of messages and of atomics, all of which this unit alone calls. */
static void buffers(dart_gptr_t gptr)
{
    const dart_team_unit_t root = DART_TEAM_UNIT_ID(0);
    const size_t nelems[] = {1}, displs[] = {2};
    dart_global_unit_t me;
    dart_group_t group;
    dart_team_t alone;
    int out[3], in[3] = {0};
    CHECK(dart_myid(&me) == DART_OK && dart_group_create(&group) == DART_OK);
    CHECK(dart_group_addmember(group, me) == DART_OK);
    CHECK(dart_team_create(DART_TEAM_ALL, group, &alone) == DART_OK);
    CHECK(dart_group_destroy(&group) == DART_OK);
    if (me.id == 0) {
        REFUSED(dart_bcast(few, 3, DART_TYPE_INT, root, alone));
        REFUSED(dart_scatter(few, out, 3, DART_TYPE_INT, root, alone));
        REFUSED(dart_gather(in, few, 3, DART_TYPE_INT, root, alone));
        REFUSED(dart_allgather(in, few, 3, DART_TYPE_INT, alone));
        REFUSED(dart_allgatherv(in, 1, DART_TYPE_INT, few, nelems, displs, alone));
        REFUSED(dart_alltoall(few, out, 3, DART_TYPE_INT, alone));
        REFUSED(dart_allreduce(few, out, 3, DART_TYPE_INT, DART_OP_SUM, alone));
        REFUSED(dart_reduce(in, few, 3, DART_TYPE_INT, DART_OP_SUM, root, alone));
        REFUSED(dart_send(few, 3, DART_TYPE_INT, 0, DART_GLOBAL_UNIT_ID(1)));
        REFUSED(dart_accumulate(at(gptr, 1, 0), few, 3, DART_TYPE_INT, DART_OP_SUM));
    }
    CHECK(dart_team_destroy(&alone) == DART_OK);
}

int main(int argc, char **argv)
{
    dart_gptr_t all, one, registered, kept;
    dart_global_unit_t me;
    int *mine, *own, words[3] = {0};
    REQUIRE(dart_init(&argc, &argv) == DART_OK && dart_myid(&me) == DART_OK);
    REQUIRE(dart_team_memalloc_aligned(DART_TEAM_ALL, 10, DART_TYPE_INT, &all) == DART_OK);
    REQUIRE(dart_team_memalloc_aligned(DART_TEAM_ALL, 1, DART_TYPE_INT, &kept) == DART_OK);
    REQUIRE(dart_memalloc(2, DART_TYPE_INT, &one) == DART_OK);
    REQUIRE(dart_team_memregister(DART_TEAM_ALL, 3, DART_TYPE_INT, words, &registered) == DART_OK);
    REQUIRE(dart_gptr_getaddr(at(all, me.id, 0), (void **)&mine) == DART_OK);
    REQUIRE(dart_gptr_getaddr(one, (void **)&own) == DART_OK);
    CHECK(dart_put_blocking(at(all, 1, 32), mine + 8, 2, DART_TYPE_INT, DART_TYPE_INT) == DART_OK);
    if (me.id == 0) {
        REFUSED(dart_put_blocking(at(all, 1, 36), words, 2, DART_TYPE_INT, DART_TYPE_INT));
        REFUSED(dart_put_blocking(at(all, 1, 0), mine + 9, 2, DART_TYPE_INT, DART_TYPE_INT));
        REFUSED(dart_put_blocking(at(all, 1, 0), few, 3, DART_TYPE_INT, DART_TYPE_INT));
        REFUSED(dart_put_blocking(at(all, 0, 8), mine + 1, 2, DART_TYPE_INT, DART_TYPE_INT));
        REFUSED(dart_get_blocking(own, at(all, 1, 0), 3, DART_TYPE_INT, DART_TYPE_INT));
        dart_gptr_t end = one;
        dart_gptr_incaddr(&end, 8);
        REFUSED(dart_put(end, words, 1, DART_TYPE_INT, DART_TYPE_INT));
    }
    dart_gptr_t theirs = one, alone;
    CHECK(dart_bcast(&theirs, sizeof theirs, DART_TYPE_BYTE, DART_TEAM_UNIT_ID(1), DART_TEAM_ALL) ==
          DART_OK);
    if (me.id == 0) {  // a block of the other unit, and its own with the other unit
        CHECK(dart_put_blocking(theirs, words, 2, DART_TYPE_INT, DART_TYPE_INT) == DART_OK);
        CHECK(dart_get_blocking(words, at(theirs, 1, 4), 1, DART_TYPE_INT, DART_TYPE_INT) ==
              DART_OK);
        REFUSED(dart_put_blocking(at(theirs, 1, 4), words, 2, DART_TYPE_INT, DART_TYPE_INT));
        CHECK(dart_memalloc(100, DART_TYPE_INT, &alone) == DART_OK);
        REFUSED(dart_put_blocking(at(alone, 1, 200), words, 1, DART_TYPE_INT, DART_TYPE_INT));
        CHECK(dart_memfree(alone) == DART_OK);
    }
    buffers(all);
    CHECK(dart_barrier(DART_TEAM_ALL) == DART_OK);
    CHECK(dart_memfree(one) == DART_OK);
    if (me.id == 0)
        REFUSED(dart_put(one, words, 1, DART_TYPE_INT, DART_TYPE_INT));
    // a buffer that was registered may be part of a larger one
    CHECK(dart_put_blocking(at(all, 1, 0), words + 1, 2, DART_TYPE_INT, DART_TYPE_INT) == DART_OK);
    CHECK(dart_team_memderegister(registered) == DART_OK);
    dart_handle_t got, copy, left;
    CHECK(dart_get_handle(words, at(all, 1, 0), 2, DART_TYPE_INT, DART_TYPE_INT, &got) == DART_OK);
    CHECK(dart_put_handle(at(all, 1, 0), words, 2, DART_TYPE_INT, DART_TYPE_INT, &left) == DART_OK);
    copy = got;
    CHECK(dart_waitall(&got, 1) == DART_OK && got == DART_HANDLE_NULL);
    CHECK(dart_wait(&got) == DART_OK);
    if (me.id == 0)
        REFUSED(dart_wait_local(&copy));
    dart_handle_t never_set = (dart_handle_t)5;  // what was in memory: like one that a call gives
    if (me.id == 0)
        REFUSED(dart_wait(&never_set));
    CHECK(dart_flush_all(all) == DART_OK);
    dart_lock_t lock;  // never destroyed
    CHECK(dart_team_lock_init(DART_TEAM_ALL, &lock) == DART_OK);
    CHECK(dart_team_memfree(all) == DART_OK);
    if (me.id == 0) {
        REFUSED(dart_put_blocking(registered, words, 1, DART_TYPE_INT, DART_TYPE_INT));
        REFUSED(dart_put_blocking(at(all, 1, 0), words, 1, DART_TYPE_INT, DART_TYPE_INT));
    }
    in_team(me.id == 1);
    CHECK(dart_exit() == DART_OK);
    return check_result();
}
