// SPDX-License-Identifier: BSD-3-Clause
//
// Many gets of words behind each other, more and fewer than may be under way: whatever call comes
// next, their words are those from before it, and each call that completes, moves data or ends a
// segment finds them landed.
#include <dash/dart/if/dart.h>

#include "frame/check.h"

enum { WORDS = 200 };
#define WORD DART_TYPE_LONGLONG

static dart_global_unit_t me;
static int size;
static dart_gptr_t base;
static long long *own, got[WORDS];
static int half[WORDS];

static dart_gptr_t at(int unit, size_t i)
{
    dart_gptr_t gptr = base;
    dart_gptr_setunit(&gptr, DART_TEAM_UNIT_ID(unit));
    gptr.addr_or_offs.offset = i * sizeof *own;
    return gptr;
}

static long long word_of(int unit, size_t i)
{
    return 1000000LL * (unit + 1) + (long long)i;
}

static void make(void)
{
    void *p;
    CHECK(dart_team_memalloc_aligned(DART_TEAM_ALL, WORDS, WORD, &base) == DART_OK);
    CHECK(dart_gptr_getaddr(at(me.id, 0), &p) == DART_OK);
    own = p;
    for (size_t i = 0; i < WORDS; i++)
        own[i] = word_of(me.id, i);
    CHECK(dart_barrier(DART_TEAM_ALL) == DART_OK);
}

static void end(void)
{
    CHECK(dart_barrier(DART_TEAM_ALL) == DART_OK);
    CHECK(dart_team_memfree(base) == DART_OK);
}

static bool from_all = true;  // units, else from this one

static int other_unit(size_t i)
{
    return from_all ? (int)(((size_t)me.id + i) % (size_t)size) : me.id;
}

static void begin(size_t n)
{
    for (size_t i = 0; i < n; i++) {
        got[i] = -1;
        CHECK(dart_get(&got[i], at(other_unit(i), i), 1, WORD, WORD) == DART_OK);
    }
}

static bool have_landed(size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (got[i] != word_of(other_unit(i), i))
            return false;
    return true;
}

// ---------------------------------------------------------------- what comes behind them
static void by_flush(size_t n)
{
    for (size_t i = 0; i < n; i++)
        CHECK(dart_flush(at(other_unit(i), 0)) == DART_OK);
}

static void by_flush_all(size_t n)
{
    (void)n;
    CHECK(dart_flush_all(base) == DART_OK);
}

static void by_flush_local(size_t n)
{
    for (size_t i = 0; i < n; i++)
        CHECK(dart_flush_local(at(other_unit(i), 0)) == DART_OK);
}

static void by_flush_local_all(size_t n)
{
    (void)n;
    CHECK(dart_flush_local_all(base) == DART_OK);
}

/** A get of another size behind them, and one that waits. */
static void by_other_gets(size_t n)
{
    long long more = -1;
    CHECK(dart_get(half, at(me.id, 0), 2, DART_TYPE_INT, DART_TYPE_INT) == DART_OK);
    begin(n);
    CHECK(dart_get_blocking(&more, at(other_unit(0), 0), 1, WORD, WORD) == DART_OK);
    CHECK(more == word_of(other_unit(0), 0));
    CHECK(dart_flush_local_all(base) == DART_OK);
    CHECK(memcmp(half, own, sizeof *own) == 0);
}

/** A handle of a later get. */
static void by_handle(size_t n)
{
    dart_handle_t handle;
    long long more = -1;
    CHECK(dart_get_handle(&more, at(other_unit(n), n), 1, WORD, WORD, &handle) == DART_OK);
    CHECK(dart_wait_local(&handle) == DART_OK);
    CHECK(more == word_of(other_unit(n), n));
    CHECK(dart_flush_local_all(base) == DART_OK);
}

/** The whole segment by parts of many words. */
static void by_long_get(size_t n)
{
    static long long all[WORDS];
    (void)n;
    CHECK(dart_get_blocking(all, at(me.id, 0), WORDS, WORD, WORD) == DART_OK);
    CHECK(memcmp(all, own, sizeof all) == 0);
    CHECK(dart_flush_all(base) == DART_OK);
}

static void completions(void)
{
    static const struct {
        const char *name;
        void (*by)(size_t n);
    } all[] = {{"flush", by_flush},
               {"flush_all", by_flush_all},
               {"flush_local", by_flush_local},
               {"flush_local_all", by_flush_local_all},
               {"other gets", by_other_gets},
               {"handle", by_handle},
               {"long get", by_long_get}};
    make();
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        for (size_t n = 1; n < WORDS; n += n < 70 ? 1 : 40) {
            begin(n);
            all[k].by(n);
            if (!have_landed(n))
                fprintf(stderr, "%zu gets, then %s\n", n, all[k].name);
            CHECK(have_landed(n));
        }
    end();
}

/** A unit's calls to its own memory take place in their order: a word that it changes behind the
 *  get is the old one. */
static void changes(void)
{
    static const long long new = 7;
    long long old = 0, expected;
    make();
    for (size_t n = 1; n <= 40; n++) {
        for (size_t i = 0; i < n; i++)
            CHECK(dart_get(&got[i], at(me.id, i), 1, WORD, WORD) == DART_OK);
        const dart_gptr_t last = at(me.id, n - 1);
        expected = word_of(me.id, n - 1);
        if (n % 5 == 0) {
            CHECK(dart_put_blocking(last, &new, 1, WORD, WORD) == DART_OK);
        } else if (n % 5 == 1) {
            CHECK(dart_put(last, &new, 1, WORD, WORD) == DART_OK);
        } else if (n % 5 == 2) {
            CHECK(dart_fetch_and_op(last, &new, &old, WORD, DART_OP_REPLACE) == DART_OK);
            CHECK(old == expected);
        } else if (n % 5 == 3) {
            CHECK(dart_compare_and_swap(last, &new, &expected, &old, WORD) == DART_OK);
            CHECK(old == expected);
        } else {
            const long long change = new - expected;
            CHECK(dart_accumulate(last, &change, 1, WORD, DART_OP_SUM) == DART_OK);
        }
        CHECK(dart_flush_all(base) == DART_OK);
        CHECK(own[n - 1] == new);
        for (size_t i = 0; i < n; i++)
            CHECK(got[i] == word_of(me.id, i));
        own[n - 1] = expected;
    }
    end();
}

/** Gets of this unit's memory that no flush completes have landed behind the release of a lock, a
 *  barrier, a collective call, and the end of the segment. */
static void synchronisations(void)
{
    dart_lock_t lock;
    from_all = false;
    CHECK(dart_team_lock_init(DART_TEAM_ALL, &lock) == DART_OK);
    for (int round = 0; round < 4; round++) {
        make();
        if (round == 0)
            CHECK(dart_lock_acquire(lock) == DART_OK);
        begin(50);
        if (round == 0) {
            CHECK(dart_lock_release(lock) == DART_OK);
        } else if (round == 1) {
            CHECK(dart_barrier(DART_TEAM_ALL) == DART_OK);
        } else if (round == 2) {
            int sum = 0;
            CHECK(dart_allreduce(&round, &sum, 1, DART_TYPE_INT, DART_OP_SUM, DART_TEAM_ALL) ==
                  DART_OK);
        }
        if (round < 3)
            CHECK(have_landed(50));
        CHECK(dart_team_memfree(base) == DART_OK);
        CHECK(have_landed(50));
    }
    CHECK(dart_team_lock_destroy(&lock) == DART_OK);
}

int main(int argc, char **argv)
{
    size_t n;
    dart_thread_support_level_t level;
    if (argc > 1)  // several threads may call: nothing is left for later
        CHECK(dart_init_thread(&argc, &argv, &level) == DART_OK);
    else
        CHECK(dart_init(&argc, &argv) == DART_OK);
    dart_myid(&me);
    dart_size(&n);
    size = (int)n;
    completions();
    changes();
    synchronisations();
    CHECK(dart_exit() == DART_OK);
    return check_result();
}
