// SPDX-License-Identifier: BSD-3-Clause
//
// Loops of calls that test in vain give the processor away where PEs share one.
#define _GNU_SOURCE
#include <stdbool.h>

#include "check.h"
#include "frame/yields.h"

enum { TESTS = 256, PEERS = 20 };

static int flag, neighbour;
static long words[2], apart[PEERS][8], lock;
static uint64_t signals[2];

/** A word for each of many peers, in a cache line of its own. */
static bool are_in_vain(void)
{
    long sum = 0;
    for (int i = 0; i < PEERS; i++)
        sum += shmem_long_atomic_fetch(apart[i], neighbour);
    return sum == 0;
}

static bool is_in_vain(int form)
{
    switch (form) {
    case 0:
        return !shmem_long_test(words, SHMEM_CMP_NE, 0);
    case 1:
        return shmem_long_test_any(words, 2, NULL, SHMEM_CMP_NE, 0) == SIZE_MAX;
    case 2:
        return !shmem_long_test_all(words, 2, NULL, SHMEM_CMP_NE, 0);
    case 3:
        return shmem_test_lock(&lock) != 0;
    case 4:
        return shmem_signal_fetch(signals) == 0;
    case 5:
        return shmem_long_atomic_fetch(&words[0], me) == 0;
    case 6:  // of a PE of the node, and of this one
        return shmem_long_atomic_fetch(&words[0], neighbour) == 0 &&
               shmem_ctx_int_atomic_fetch(SHMEM_CTX_DEFAULT, &flag, me) == 0;
    case 7:  // a try of a lock of the program's own
        return shmem_int_atomic_compare_swap(&flag, 1, 2, neighbour) == 0;
    case 8:
        return shmem_long_atomic_swap(&words[0], 0, me) == 0;
    case 9:
        return are_in_vain();
    default:
        return shmem_signal_fetch(&signals[0]) == 0 && shmem_signal_fetch(&signals[1]) == 0;
    }
}

static void test(void *form)
{
    CHECK(is_in_vain(*(int *)form));
}

/** Where yields are expensive a loop naps at each test: naps do not count as other work. Being
 *  preempted does, so one round of some must be without. */
static void naps_beside_load(void)
{
    long most = 0;
    yield_takes_us = 3000;
    for (int round = 0; round < 8 && most <= TESTS * 3 / 4; round++) {
        const long slept = sleeps();
        for (int i = 0; i < TESTS; i++)
            shmem_long_test(words, SHMEM_CMP_NE, 0);
        most = sleeps() - slept > most ? sleeps() - slept : most;
    }
    CHECK(most > TESTS * 3 / 4, "%ld sleeps in %d tests", most, TESTS);
    yield_takes_us = 0;
}

int main(void)
{
    check_begin();
    neighbour = me > 0 && shmem_ptr(words, me - 1) ? me - 1 : me;
    if (me == npes - 1)
        shmem_set_lock(&lock);
    shmem_barrier_all();
    for (int form = 0; form < 11 && me < npes - 1; form++)
        CHECK(gives_way(test, &form), "form %d", form);
    naps_beside_load();
    shmem_barrier_all();
    if (me == npes - 1)
        shmem_clear_lock(&lock);
    for (uint64_t i = 1; i < 10; i++) {  // and every change is seen
        signals[0] = i;
        CHECK(shmem_signal_fetch(signals) == i);
        shmem_uint64_atomic_inc(&signals[1], me);
        CHECK(shmem_uint64_atomic_fetch(&signals[1], me) == i);
        CHECK(shmem_uint64_atomic_fetch(&signals[1], me) == i);
    }
    return check_end();
}
