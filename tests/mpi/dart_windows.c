// SPDX-License-Identifier: BSD-3-Clause
//
// DART's memory in windows of an MPI: memory of all units, of a team and of one unit; transfers in
// all ways of completion; sums that all units make at a time; a lock; registered memory that is in
// a window already; the pool's end; all of it twice, with dart_exit in between.
// With an argument: dart_init and dart_exit alone. WITH_MPI: the program initialises MPI.
#include <dash/dart/if/dart.h>
#ifdef WITH_MPI
#include <mpi.h>
#endif
#include <stdlib.h>
#include <string.h>

#include "dart/refusals.h"
#include "frame/check.h"

enum { WORDS = 3000, ROUNDS = 20 };

static dart_global_unit_t me;
static int size;

static dart_gptr_t at(dart_gptr_t gptr, int unit, size_t offset)
{
    dart_gptr_setunit(&gptr, DART_TEAM_UNIT_ID(unit));
    gptr.addr_or_offs.offset = offset;
    return gptr;
}

static int *own_part(dart_gptr_t gptr, int unit)
{
    void *addr = NULL;
    CHECK(dart_gptr_getaddr(at(gptr, unit, 0), &addr) == DART_OK && addr);
    return addr;
}

/** Each unit writes its row into all parts by another way, then reads all rows of its neighbour. */
static void transfers(dart_team_t team, int mine, int n)
{
    dart_gptr_t gptr;
    dart_handle_t handle;
    int32_t done = 0;
    static int row[WORDS], back[WORDS];
    REQUIRE(dart_team_memalloc_aligned(team, (size_t)WORDS * (size_t)n, DART_TYPE_INT, &gptr) ==
            DART_OK);
    for (int i = 0; i < WORDS; i++)
        row[i] = mine * WORDS + i;
    for (int unit = 0; unit < n; unit++) {
        dart_gptr_t to = at(gptr, unit, (size_t)mine * sizeof row);
        switch (unit % 3) {
        case 0:
            CHECK(dart_put_blocking(to, row, WORDS, DART_TYPE_INT, DART_TYPE_INT) == DART_OK);
            break;
        case 1:
            CHECK(dart_put(to, row, WORDS, DART_TYPE_INT, DART_TYPE_INT) == DART_OK);
            CHECK(dart_flush(to) == DART_OK);
            break;
        default:
            CHECK(dart_put_handle(to, row, WORDS, DART_TYPE_INT, DART_TYPE_INT, &handle) ==
                  DART_OK);
            CHECK(dart_wait(&handle) == DART_OK && handle == DART_HANDLE_NULL);
        }
    }
    CHECK(dart_barrier(team) == DART_OK);
    const int *own = own_part(gptr, mine);
    for (int i = 0; i < WORDS * n; i += 997)
        CHECK(own[i] == i, "word %d is %d", i, own[i]);
    for (int unit = 0; unit < n; unit++) {
        dart_gptr_t from = at(gptr, (mine + 1) % n, (size_t)unit * sizeof row);
        memset(back, 0xff, sizeof back);
        CHECK(dart_get_handle(back, from, WORDS, DART_TYPE_INT, DART_TYPE_INT, &handle) == DART_OK);
        do
            CHECK(dart_test(&handle, &done) == DART_OK);
        while (!done);
        CHECK(back[0] == unit * WORDS && back[WORDS - 1] == (unit + 1) * WORDS - 1);
    }
    CHECK(dart_put_blocking(at(gptr, 0, sizeof row * (size_t)n - 4), row, 2, DART_TYPE_INT,
                            DART_TYPE_INT) == DART_ERR_INVAL);
    CHECK(dart_team_memfree(gptr) == DART_OK);
}

/** All units add to unit 0's word, by fetches and without; and under a lock. */
static void sums(void)
{
    dart_gptr_t gptr;
    dart_lock_t lock;
    long one = 1, old, sum = 0, zero[2] = {0, 0};
    REQUIRE(dart_team_memalloc_aligned(DART_TEAM_ALL, 8, DART_TYPE_LONG, &gptr) == DART_OK);
    REQUIRE(dart_team_lock_init(DART_TEAM_ALL, &lock) == DART_OK);
    CHECK(dart_put_blocking(at(gptr, me.id, 0), zero, 2, DART_TYPE_LONG, DART_TYPE_LONG) ==
          DART_OK);
    dart_barrier(DART_TEAM_ALL);
    for (int i = 0; i < ROUNDS; i++) {
        CHECK(dart_fetch_and_op(at(gptr, 0, 0), &one, &old, DART_TYPE_LONG, DART_OP_SUM) ==
              DART_OK);
        CHECK(old >= 0 && old < 2L * ROUNDS * size);
        CHECK(dart_accumulate(at(gptr, 0, 0), &one, 1, DART_TYPE_LONG, DART_OP_SUM) == DART_OK);
        CHECK(dart_flush(at(gptr, 0, 0)) == DART_OK);
        CHECK(dart_lock_acquire(lock) == DART_OK);
        CHECK(dart_get_blocking(&sum, at(gptr, 0, 8), 1, DART_TYPE_LONG, DART_TYPE_LONG) ==
              DART_OK);
        sum++;
        CHECK(dart_put_blocking(at(gptr, 0, 8), &sum, 1, DART_TYPE_LONG, DART_TYPE_LONG) ==
              DART_OK);
        CHECK(dart_lock_release(lock) == DART_OK);
    }
    dart_barrier(DART_TEAM_ALL);
    for (size_t word = 0; word < 2; word++) {
        CHECK(dart_get_blocking(&sum, at(gptr, 0, word * 8), 1, DART_TYPE_LONG, DART_TYPE_LONG) ==
              DART_OK);
        CHECK(sum == (word == 0 ? 2L : 1L) * ROUNDS * size, "word %zu: %ld", word, sum);
    }
    long found = -1, wanted = 2L * ROUNDS * size, never = -5;
    dart_barrier(DART_TEAM_ALL);
    CHECK(dart_compare_and_swap(at(gptr, 0, 0), &never, &never, &found, DART_TYPE_LONG) ==
              DART_OK &&
          found == wanted);
    CHECK(dart_team_lock_destroy(&lock) == DART_OK);
    CHECK(dart_team_memfree(gptr) == DART_OK);
}

/** Memory that a unit allocates alone: 16 MiB. */
static void pool(void)
{
    dart_gptr_t gptr, more;
    uint64_t name[2], names[2];
    int value = 0;
    REQUIRE(dart_memalloc(1000, DART_TYPE_INT, &gptr) == DART_OK);
    int *own = own_part(gptr, me.id);  // the pool's begin
    memcpy(name, &gptr, sizeof name);
    own[gptr.addr_or_offs.offset / sizeof *own] = 100 + me.id;
    CHECK(dart_memalloc((size_t)17 << 20, DART_TYPE_BYTE, &more) == DART_ERR_NOMEM);
    uint64_t *all = malloc((size_t)size * sizeof name);
    REQUIRE(all && dart_allgather(name, all, 2, DART_TYPE_ULONGLONG, DART_TEAM_ALL) == DART_OK);
    memcpy(names, all + 2 * ((me.id + 1) % size), sizeof names);
    dart_gptr_t there;
    memcpy(&there, names, sizeof there);
    CHECK(dart_get_blocking(&value, there, 1, DART_TYPE_INT, DART_TYPE_INT) == DART_OK &&
          value == 100 + (me.id + 1) % size);
    dart_barrier(DART_TEAM_ALL);
    CHECK(dart_memfree(gptr) == DART_OK && dart_memfree(gptr) == DART_ERR_INVAL);
    free(all);
}

/** A part of a segment under a second name has the same words. */
static void registered(void)
{
    dart_gptr_t first, second;
    long one = 1, sum = 0, zero[8] = {0};
    REQUIRE(dart_team_memalloc_aligned(DART_TEAM_ALL, 8, DART_TYPE_LONG, &first) == DART_OK);
    CHECK(dart_put_blocking(at(first, me.id, 0), zero, 8, DART_TYPE_LONG, DART_TYPE_LONG) ==
          DART_OK);
    long *own = (long *)(void *)own_part(first, me.id);
    REQUIRE(dart_team_memregister(DART_TEAM_ALL, 4, DART_TYPE_LONG, own + 4, &second) == DART_OK);
    for (int i = 0; i < ROUNDS; i++)
        CHECK(dart_accumulate(i % 2 ? at(first, 0, 32) : at(second, 0, 0), &one, 1, DART_TYPE_LONG,
                              DART_OP_SUM) == DART_OK);
    CHECK(dart_flush_all(first) == DART_OK && dart_flush_all(second) == DART_OK);
    dart_barrier(DART_TEAM_ALL);
    CHECK(dart_get_blocking(&sum, at(second, 0, 0), 1, DART_TYPE_LONG, DART_TYPE_LONG) == DART_OK &&
              sum == (long)ROUNDS * size,
          "%ld", sum);
    dart_barrier(DART_TEAM_ALL);
    CHECK(dart_team_memderegister(second) == DART_OK && dart_team_memfree(first) == DART_OK);
}

/** A team of every other unit. */
static void team(void)
{
    dart_group_t all, some;
    dart_team_t made;
    dart_team_unit_t mine;
    size_t n;
    REQUIRE(dart_team_get_group(DART_TEAM_ALL, &all) == DART_OK &&
            dart_group_create(&some) == DART_OK);
    for (int unit = 0; unit < size; unit += 2)
        dart_group_addmember(some, DART_GLOBAL_UNIT_ID(unit));
    CHECK(dart_team_create(DART_TEAM_ALL, some, &made) == DART_OK);
    if (made != DART_TEAM_NULL) {
        CHECK(dart_team_myid(made, &mine) == DART_OK && dart_team_size(made, &n) == DART_OK);
        transfers(made, mine.id, (int)n);
        CHECK(dart_team_destroy(&made) == DART_OK);
    }
    dart_group_destroy(&some);
    dart_group_destroy(&all);
}

int main(int argc, char **argv)
{
    refuse_without_lines();
#ifdef WITH_MPI
    int granted;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &granted);
    REQUIRE(granted == MPI_THREAD_MULTIPLE);
#endif
    for (int life = 0; life < 2; life++) {
        size_t units;
        dart_thread_support_level_t level;
        REQUIRE(dart_init_thread(&argc, &argv, &level) == DART_OK);
        dart_myid(&me);
        dart_size(&units);
        size = (int)units;
        check_as("unit", me.id, size);
        if (argc == 1) {
            transfers(DART_TEAM_ALL, me.id, size);
            team();
            sums();
            pool();
            registered();
        }
#ifdef WITH_MPI
        if (argc > 1)
            MPI_Finalize();  // too early
#endif
        REQUIRE(dart_exit() == DART_OK);
    }
#ifdef WITH_MPI
    MPI_Finalize();
#endif
    return check_result();
}
