// SPDX-License-Identifier: BSD-3-Clause
//
// Locks: a counter that only the holder may change, by units and by threads of units; two locks at
// a time; tries; wrong use. Allocators: blocks until the pool is empty, seen by the neighbour.
#include <dash/dart/if/dart.h>
#include <pthread.h>

#include "frame/check.h"
#include "refusals.h"

enum { ROUNDS = 100, THREADS = 3 };

static dart_global_unit_t me;
static int size;
static dart_gptr_t table;
static dart_lock_t lock;

static dart_gptr_t at(int unit, size_t offset)
{
    dart_gptr_t gptr = table;
    dart_gptr_setunit(&gptr, DART_TEAM_UNIT_ID(unit));
    gptr.addr_or_offs.offset = offset;
    return gptr;
}

/** Not atomic: the lock makes it so. Completed by the release. */
static void count(int unit)
{
    long value;
    CHECK(dart_get_blocking(&value, at(unit, 0), 1, DART_TYPE_LONG, DART_TYPE_LONG) == DART_OK);
    value++;
    CHECK(dart_put(at(unit, 0), &value, 1, DART_TYPE_LONG, DART_TYPE_LONG) == DART_OK);
    CHECK(dart_flush_local(at(unit, 0)) == DART_OK);
}

static void *work(void *unit)
{
    for (int i = 0; i < ROUNDS; i++) {
        int32_t got = 0;
        if (i % 5)
            CHECK(dart_lock_acquire(lock) == DART_OK);
        else
            while (!got)
                CHECK(dart_lock_try_acquire(lock, &got) == DART_OK);
        count(*(int *)unit);
        CHECK(dart_lock_release(lock) == DART_OK);
    }
    return NULL;
}

static void expect(int unit, long expected)
{
    long value;
    dart_barrier(DART_TEAM_ALL);
    dart_get_blocking(&value, at(unit, 0), 1, DART_TYPE_LONG, DART_TYPE_LONG);
    CHECK(value == expected, "%ld, not %ld", value, expected);
    dart_barrier(DART_TEAM_ALL);
    value = 0;
    if (me.id == 0)
        dart_put_blocking(at(unit, 0), &value, 1, DART_TYPE_LONG, DART_TYPE_LONG);
    dart_barrier(DART_TEAM_ALL);
}

static void by_threads(int unit)
{
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        REQUIRE(pthread_create(&threads[i], NULL, work, &unit) == 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    expect(unit, (long)THREADS * ROUNDS * size);
}

static void wrong_use(void)
{
    dart_lock_t none = DART_LOCK_NULL, other;
    int32_t got = 5;
    CHECK(!dart_lock_initialized(none) && dart_lock_initialized(lock));
    CHECK(dart_lock_acquire(none) == DART_ERR_INVAL && dart_lock_release(none) == DART_ERR_INVAL);
    CHECK(dart_lock_release(lock) == DART_ERR_INVAL);
    REQUIRE(dart_team_lock_init(DART_TEAM_ALL, &other) == DART_OK);
    CHECK(dart_lock_acquire(other) == DART_OK && dart_lock_acquire(lock) == DART_OK);
    CHECK(dart_lock_acquire(other) == DART_ERR_INVAL);
    CHECK(dart_lock_try_acquire(lock, &got) == DART_ERR_INVAL && got == 0);
    CHECK(dart_lock_release(other) == DART_OK && dart_lock_release(lock) == DART_OK);
    CHECK(dart_team_lock_destroy(&other) == DART_OK && other == DART_LOCK_NULL);
    CHECK(dart_team_lock_init(77, &other) == DART_ERR_INVAL);
    CHECK(dart_team_lock_destroy(&none) == DART_OK);
}

/** A lock whose team is gone. */
static void destroy_after_team(void)
{
    dart_team_t team;
    dart_lock_t late;
    REQUIRE(dart_team_clone(DART_TEAM_ALL, &team) == DART_OK);
    REQUIRE(dart_team_lock_init(team, &late) == DART_OK && dart_lock_initialized(late));
    CHECK(dart_team_destroy(&team) == DART_OK);
    CHECK(!dart_lock_initialized(late) && dart_lock_acquire(late) == DART_ERR_INVAL);
    CHECK(dart_team_lock_destroy(&late) == DART_OK && late == DART_LOCK_NULL);
}

/** As C++ programs do by destructors that run at exit, here with DART initialised once more. */
static void destroy_after_exit(dart_lock_t *first, dart_lock_t *second)
{
    dart_lock_t again;
    CHECK(!dart_lock_initialized(*first) && dart_lock_acquire(*first) == DART_ERR_NOTINIT);
    CHECK(dart_team_lock_destroy(first) == DART_OK && *first == DART_LOCK_NULL);
    REQUIRE(dart_init(NULL, NULL) == DART_OK);
    REQUIRE(dart_team_lock_init(DART_TEAM_ALL, &again) == DART_OK);
    CHECK(!dart_lock_initialized(*second) && dart_lock_acquire(*second) == DART_ERR_INVAL);
    CHECK(dart_team_lock_destroy(second) == DART_OK);
    CHECK(dart_lock_initialized(again) && dart_team_lock_destroy(&again) == DART_OK);
    dart_exit();
}

/** Tries fail while another unit has it. */
static void held(void)
{
    int32_t got = 7;
    if (me.id == size - 1)
        CHECK(dart_lock_acquire(lock) == DART_OK);
    dart_barrier(DART_TEAM_ALL);
    if (me.id != size - 1)
        CHECK(dart_lock_try_acquire(lock, &got) == DART_OK && got == 0);
    dart_barrier(DART_TEAM_ALL);
    if (me.id == size - 1)
        CHECK(dart_lock_release(lock) == DART_OK);
    dart_barrier(DART_TEAM_ALL);
}

/** A pool holds small blocks without a gap, each aligned for its type. */
static void small_blocks(void)
{
    enum { NBYTES = 4096, BLOCK = 32, BLOCKS = NBYTES / BLOCK };
    static bool taken[BLOCKS];
    dart_allocator_t pool;
    dart_gptr_t blocks[BLOCKS], none;
    REQUIRE(dart_allocator_new(NBYTES, DART_TEAM_ALL, &pool) == DART_OK);
    for (int i = 0; i < BLOCKS; i++) {
        REQUIRE(dart_allocator_alloc(BLOCK / sizeof(int), DART_TYPE_INT, &blocks[i], pool) ==
                DART_OK);
        const uint64_t offset = blocks[i].addr_or_offs.offset;
        REQUIRE(offset % BLOCK == 0 && offset < NBYTES);
        CHECK(!taken[offset / BLOCK]);
        taken[offset / BLOCK] = true;
    }
    CHECK(dart_allocator_alloc(1, DART_TYPE_BYTE, &none, pool) == DART_ERR_NOMEM &&
          DART_GPTR_ISNULL(none));
    CHECK(dart_allocator_free(&blocks[1], pool) == DART_OK);
    CHECK(dart_allocator_alloc(1, DART_TYPE_BYTE, &none, pool) == DART_OK);
    CHECK(dart_allocator_alloc(1, DART_TYPE_LONGLONG, &blocks[1], pool) == DART_OK &&
          blocks[1].addr_or_offs.offset % 8 == 0);
    dart_gptr_t beyond = blocks[0];
    beyond.addr_or_offs.offset += (uint64_t)1 << 61;
    CHECK(dart_allocator_free(&beyond, pool) == DART_ERR_INVAL);
    CHECK(dart_allocator_free(&none, pool) == DART_OK);
    for (int i = 0; i < BLOCKS; i++)
        CHECK(dart_allocator_free(&blocks[i], pool) == DART_OK);
    CHECK(dart_allocator_alloc(NBYTES, DART_TYPE_BYTE, &none, pool) == DART_OK);
    CHECK(dart_allocator_destroy(&pool) == DART_OK);
}

static void allocators(void)
{
    dart_allocator_t pool;
    dart_gptr_t blocks[64], none;
    int n = 0;
    REQUIRE(dart_allocator_new(60000, DART_TEAM_ALL, &pool) == DART_OK);
    while (n < 64 && dart_allocator_alloc(1024, DART_TYPE_INT, &blocks[n], pool) == DART_OK)
        n++;
    CHECK(n == 16, "%d blocks of 4 KiB in 64", n);
    CHECK(dart_allocator_alloc(1024, DART_TYPE_INT, &none, pool) == DART_ERR_NOMEM &&
          DART_GPTR_ISNULL(none));
    for (int i = 0; i < n; i++) {
        int values[1024];
        CHECK(blocks[i].unitid == me.id && blocks[i].segid > 0);
        for (int k = 0; k < 1024; k++)
            values[k] = me.id * 100000 + i * 1024 + k;
        CHECK(dart_put_blocking(blocks[i], values, 1024, DART_TYPE_INT, DART_TYPE_INT) == DART_OK);
    }
    // the neighbour's blocks have the same places
    dart_barrier(DART_TEAM_ALL);
    for (int i = 0, value; i < n; i++) {
        dart_gptr_t there = blocks[i];
        dart_gptr_setunit(&there, DART_TEAM_UNIT_ID((me.id + 1) % size));
        dart_gptr_incaddr(&there, 4092);
        CHECK(dart_get_blocking(&value, there, 1, DART_TYPE_INT, DART_TYPE_INT) == DART_OK);
        CHECK(value == (me.id + 1) % size * 100000 + i * 1024 + 1023);
    }
    dart_barrier(DART_TEAM_ALL);
    dart_gptr_t inside = blocks[0];
    dart_gptr_incaddr(&inside, 64);
    CHECK(dart_allocator_free(&inside, pool) == DART_ERR_INVAL);
    for (int i = 0; i < n; i++)
        CHECK(dart_allocator_free(&blocks[i], pool) == DART_OK && DART_GPTR_ISNULL(blocks[i]));
    CHECK(dart_allocator_alloc(65536, DART_TYPE_BYTE, &none, pool) == DART_OK);
    dart_gptr_t again = none;
    CHECK(dart_allocator_free(&none, pool) == DART_OK);
    CHECK(dart_allocator_free(&again, pool) == DART_ERR_INVAL);
    CHECK(dart_allocator_destroy(&pool) == DART_OK && !pool);
    CHECK(dart_allocator_destroy(&pool) == DART_ERR_INVAL);
}

int main(int argc, char **argv)
{
    refuse_without_lines();
    size_t units;
    long zero = 0;
    dart_thread_support_level_t level;
    REQUIRE(dart_init_thread(&argc, &argv, &level) == DART_OK && level == DART_THREAD_MULTIPLE);
    dart_myid(&me);
    dart_size(&units);
    size = (int)units;
    check_as("unit", me.id, size);
    REQUIRE(dart_team_memalloc_aligned(DART_TEAM_ALL, 64, DART_TYPE_BYTE, &table) == DART_OK);
    dart_put_blocking(at(me.id, 0), &zero, 1, DART_TYPE_LONG, DART_TYPE_LONG);
    REQUIRE(dart_team_lock_init(DART_TEAM_ALL, &lock) == DART_OK);
    for (int unit = 0; unit < size; unit++) {
        work(&unit);
        expect(unit, (long)ROUNDS * size);
    }
    by_threads(size - 1);
    held();
    wrong_use();
    CHECK(dart_team_lock_destroy(&lock) == DART_OK);
    destroy_after_team();
    allocators();
    small_blocks();
    dart_team_memfree(table);
    dart_lock_t left[2];
    for (int i = 0; i < 2; i++)
        REQUIRE(dart_team_lock_init(DART_TEAM_ALL, &left[i]) == DART_OK);
    dart_exit();
    destroy_after_exit(&left[0], &left[1]);
    return check_result();
}
