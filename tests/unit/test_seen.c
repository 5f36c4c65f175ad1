// SPDX-License-Identifier: BSD-3-Clause
//
// Checking mode: a pair that a thread remembers is found for transfers that lie in both sides
// whole, from places that were looked at, until something changes; and for nothing else.
#include "core/observe/known.h"

#include "frame/check.h"

enum { KEY = 7, BYTES = 1024 };

static char room_here[BYTES + 16], *const here = room_here + 8;
static const uintptr_t there = 65536;

/** One place: finds, and remembers as the checks would. */
static __attribute__((noinline)) bool found(uint64_t key, uintptr_t far, const void *near,
                                            size_t nbytes)
{
    return cw_pair_find(1, key, far, near, nbytes, false) != NULL;
}

/** The same as puts that do not wait. */
static __attribute__((noinline)) bool found_by_place(uint64_t key, uintptr_t far, const void *near,
                                                     size_t nbytes)
{
    return cw_pair_find(1, key, far, near, nbytes, true) != NULL;
}

static void remember(unsigned changes)
{
    const cw_known_span_t far = {.begin = there, .end = there + BYTES},
                          near = {.begin = (uintptr_t)here, .end = (uintptr_t)here + BYTES};
    cw_watch_depth = 1;
    cw_pair_remember(1, KEY, 5, changes, &far, &near);
    cw_watch_depth = 0;
}

/** As a right call does that finds none; a macro, so that the place is its caller's. */
#define LEARN() ((void)found(KEY, there, here, BYTES), remember(atomic_load(&cw_block_changes)))

static __attribute__((noinline)) bool found_deeper(void)
{
    char room[200];
    __asm__ volatile("" : : "r"(room) : "memory");
    bool is = found(KEY, there, here, 8);
    __asm__ volatile("" : : "r"(room) : "memory");
    return is;
}

static void only_inside(void)
{
    LEARN();
    CHECK(found(KEY, there, here, BYTES), "all of both sides");
    CHECK(found(KEY, there + BYTES - 1, here + BYTES - 1, 1), "the last bytes");
    CHECK(!found(KEY, there + 1, here, BYTES), "one byte beyond the far side");
    CHECK(!found(KEY, there, here + 1, BYTES), "one byte beyond the near side");
    CHECK(!found(KEY, there - 1, here, 8), "one byte before the far side");
    CHECK(!found(KEY, there, here - 1, 8), "one byte before the near side");
    CHECK(!found(KEY + 1, there, here, 8), "another process");
    CHECK(!found(KEY, (uintptr_t)-8, here, 16), "an offset below 0");
    CHECK(!found(KEY, INTPTR_MAX, here, 16), "half of all addresses");
    CHECK(!found(KEY, there, here, 0) && !found(KEY, there, here, (size_t)-8), "no count");
    CHECK(!cw_pair_find(2, KEY, there, here, 8, false), "another client");
}

static void until_something_changes(void)
{
    LEARN();
    atomic_fetch_add(&cw_block_changes, 1);
    CHECK(!found(KEY, there, here, 8), "after a change of blocks");
    unsigned before = atomic_load(&cw_block_changes);
    atomic_fetch_add(&cw_block_changes, 1);
    remember(before);
    CHECK(!found(KEY, there, here, 8), "after a change between a check and its end");
    LEARN();
    CHECK(found(KEY, there, here, 8), "learnt again");
    cw_known_forget();
    CHECK(!found(KEY, there, here, 8), "after forgetting");
}

static void only_from_places_that_were_looked_at(void)
{
    LEARN();
    CHECK(found(KEY, there, here, 8), "the place");
    CHECK(!found_deeper(), "another stack pointer");
    cw_watch_depth = 1;
    CHECK(!found(KEY, there, here, 8), "within a routine");
    cw_watch_depth = 0;
    atomic_fetch_add(&cw_block_changes, 1);
    CHECK(!found_deeper(), "another place, whose call then ends early");
    cw_pair_leave();
    LEARN();
    CHECK(!found_deeper(), "nothing is known of that place");
    CHECK(!found_deeper() && (remember(atomic_load(&cw_block_changes)), found_deeper()),
          "until a call from there is right");
}

enum { MANY = 24, EVICTING = 40 };

static uintptr_t far_of(int block)
{
    return there + (uintptr_t)block * (2 * BYTES);
}

/** Blocks of which all share the near side, as a call that finds none learns them. */
static void learn_many(int n)
{
    for (int i = 0; i < n; i++) {
        const cw_known_span_t far = {.begin = far_of(i), .end = far_of(i) + BYTES},
                              near = {.begin = (uintptr_t)here, .end = (uintptr_t)here + BYTES};
        (void)found(KEY, far_of(i), here, BYTES);
        cw_watch_depth = 1;
        cw_pair_remember(1, KEY, 5, atomic_load(&cw_block_changes), &far, &near);
        cw_watch_depth = 0;
    }
}

/** None that is another, and a part of none. */
static void among_many(void)
{
    atomic_fetch_add(&cw_block_changes, 1);
    (void)found_by_place(KEY, far_of(0), here, BYTES);
    learn_many(MANY);
    CHECK(found(KEY, far_of(MANY - 1), here, BYTES), "one of the last");
    CHECK(!found(KEY, far_of(0), here, BYTES), "more than are compared");
    for (int turn = 0; turn < 2; turn++)  // in the second by its place
        for (int i = 0; i < MANY; i++) {
            CHECK(found_by_place(KEY, far_of(i) + 8, here + 8, 8), "within block %d", i);
            CHECK(found_by_place(KEY, far_of(i), here, BYTES), "block %d", i);
            CHECK(!found_by_place(KEY, far_of(i) - 8, here, 16), "before block %d", i);
            CHECK(!found_by_place(KEY, far_of(i) + 1, here, BYTES), "beyond block %d", i);
            CHECK(!found_by_place(KEY, far_of(i), here + 1, BYTES), "beyond the near side");
            CHECK(!found_by_place(KEY + 1, far_of(i), here, 8), "of another process");
        }
    learn_many(EVICTING);
    CHECK(found(KEY, far_of(EVICTING - 1), here, BYTES), "the last one");
    CHECK(found_by_place(KEY, far_of(EVICTING - 1), here, BYTES), "the last one, by place");
    CHECK(!found_by_place(KEY, far_of(1), here, BYTES),
          "one whose place in the table is another's");
    atomic_fetch_add(&cw_block_changes, 1);
    CHECK(!found_by_place(KEY, far_of(EVICTING - 1), here, BYTES), "after a change of blocks");
}

static void not_where_each_transfer_is_observed(void)
{
    atomic_fetch_add(&cw_block_changes, 1);
    cw_watch_untimed = false;
    LEARN();
    CHECK(!found(KEY, there, here, 8), "not remembered");
    cw_watch_untimed = true;
}

int main(void)
{
    const cw_known_span_t any = {.begin = 1, .end = 2};
    cw_watch_untimed = true;
    cw_known_remember(CW_KNOWN_LOCAL, atomic_load(&cw_block_changes), &any);  // makes the table
    only_inside();
    until_something_changes();
    only_from_places_that_were_looked_at();
    among_many();
    not_where_each_transfer_is_observed();
    return check_result();
}
