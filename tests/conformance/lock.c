// SPDX-License-Identifier: BSD-3-Clause
//
// Locks: mutual exclusion over plain updates, test_lock, first come first served, many locks,
// static and heap.
#include "check.h"

#define ROUNDS 100

static long static_lock;
static long shared_count, shared_pair[2];

/** A read-modify-write that loses updates unless the lock excludes and its release completes
 *  them. */
static void exclusion(long *lock)
{
    shared_count = shared_pair[0] = shared_pair[1] = 0;
    shmem_barrier_all();
    for (int i = 0; i < ROUNDS; i++) {
        if (i % 3 == 2)
            while (shmem_test_lock(lock))
                continue;
        else
            shmem_set_lock(lock);
        long pair[2], count = shmem_long_g(&shared_count, 0);
        shmem_long_get(pair, shared_pair, 2, 0);
        CHECK(pair[0] == pair[1], "saw half of an update: %ld %ld", pair[0], pair[1]);
        pair[0] = pair[1] = pair[0] + 1;
        shmem_long_put_nbi(shared_pair, pair, 2, 0);
        shmem_long_p(&shared_count, count + 1, 0);
        shmem_clear_lock(lock);  // completes both
    }
    shmem_barrier_all();
    if (me == 0) {
        CHECK(shared_count == (long)ROUNDS * npes, "%ld of %ld updates", shared_count,
              (long)ROUNDS * npes);
        CHECK(shared_pair[1] == (long)ROUNDS * npes, "%ld of %ld pairs", shared_pair[1],
              (long)ROUNDS * npes);
        CHECK(*lock == 0, "a lock that no PE holds is %#lx", (unsigned long)*lock);
    }
    shmem_barrier_all();
}

static void test_lock(long *lock)
{
    if (me == 0)
        CHECK(shmem_test_lock(lock) == 0, "test_lock of a free lock");
    shmem_barrier_all();
    if (me != 0)
        CHECK(shmem_test_lock(lock) == 1, "test_lock of a lock that PE 0 holds");
    shmem_barrier_all();
    if (me == 0)
        shmem_clear_lock(lock);
    shmem_barrier_all();
    if (me == npes - 1) {
        CHECK(shmem_test_lock(lock) == 0, "test_lock of a lock that was released");
        shmem_clear_lock(lock);
    }
    shmem_barrier_all();
}

/** The last PE in the queue, which no call returns: the first half of the variable on PE 0, see
 *  src/shmem/lock.c. */
static int last_in_queue(const long *lock)
{
    long value = shmem_long_atomic_fetch(lock, 0);
    uint32_t tail;
    memcpy(&tail, &value, sizeof(tail));
    return (int)tail - 1;
}

/** PE 0 holds the lock while the others queue up one by one; they must get it in that order. */
static void order(long *lock)
{
    static int in_queue, got[64];
    static int served;
    in_queue = served = 0;
    if (me == 0)
        shmem_set_lock(lock);
    shmem_barrier_all();
    if (me == 0) {
        for (int pe = 1; pe < npes; pe++) {
            shmem_int_p(&in_queue, 1, pe);
            while (last_in_queue(lock) != pe)
                continue;
        }
        shmem_clear_lock(lock);
    } else {
        shmem_int_wait_until(&in_queue, SHMEM_CMP_EQ, 1);
        shmem_set_lock(lock);
        shmem_int_p(&got[shmem_int_atomic_fetch_inc(&served, 0) % 64], me, 0);
        shmem_clear_lock(lock);
    }
    shmem_barrier_all();
    for (int i = 0; me == 0 && i < npes - 1; i++)
        CHECK(got[i] == i + 1, "PE %d was served as number %d", got[i], i);
    shmem_barrier_all();
}

/** Several locks at a time, nested in one order. */
static void several(long *locks, int n)
{
    for (int i = 0; i < 20; i++) {
        for (int k = 0; k < n; k++)
            shmem_set_lock(&locks[k]);
        long seen = shmem_long_g(&shared_count, 0);
        shmem_long_p(&shared_count, seen + 1, 0);
        for (int k = n - 1; k >= 0; k--)
            shmem_clear_lock(&locks[k]);
    }
    shmem_barrier_all();
    if (me == 0)
        CHECK(shared_count == (long)(ROUNDS + 20) * npes, "nested locks lost updates: %ld",
              shared_count);
    shmem_barrier_all();
}

int main(void)
{
    check_begin();
    long *locks = shmem_calloc(4, sizeof(long));
    exclusion(&static_lock);
    test_lock(&static_lock);
    order(&static_lock);
    test_lock(&locks[2]);
    exclusion(&locks[1]);
    several(locks, 4);
    shmem_free(locks);
    return check_end();
}
