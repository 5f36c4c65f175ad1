// SPDX-License-Identifier: BSD-3-Clause
//
// Two PEs take turns: each puts a value to the other and waits for the next one. Operations of
// every kind come between turns, each with what was put before it: behind a fence, a quiet or a
// barrier that must be there. PE 0 takes argv[1] (40) turns with PE 1 before each other operation,
// argv[2] (120) times.
#include "outside.h"

#include <stdbool.h>
#include <string.h>

#include "frame/check.h"

#define LARGE 5000

static _Alignas(64) long turn, before, flag, counter, from_all[64];
static uint64_t signalled;
static char large[LARGE], source[LARGE];
static long turns, most;  // steps
static int me, other;

static void take_turns(long n)
{
    while (n-- > 0) {
        turns++;
        if (me == 0)
            shmem_long_p(&turn, turns, other);
        shmem_long_wait_until(&turn, SHMEM_CMP_GE, turns);
        CHECK(turn == turns, "turn %ld instead of %ld", turn, turns);
        if (me != 0)
            shmem_long_p(&turn, turns, other);
    }
}

// What is put last tells that what was put before a fence is there. Of each pair of functions, one
// runs at each PE, and `k` is a number that was not used before.

static void awaited(long k)
{
    shmem_long_wait_until(&flag, SHMEM_CMP_EQ, k);
    CHECK(before == k, "a flag came without what was put before: %ld instead of %ld", before, k);
}

static void p_fence_p(long k)
{
    shmem_long_p(&before, k, other);
    shmem_fence();
    shmem_long_p(&flag, k, other);
}

static void p_fence_put(long k)
{
    shmem_long_p(&before, k, other);
    shmem_fence();
    shmem_long_put(&flag, &k, 1, other);
}

static void p_fence_set(long k)
{
    shmem_long_p(&before, k, other);
    shmem_fence();
    shmem_long_atomic_set(&flag, k, other);
}

static void put_fence_p(long k)
{
    shmem_long_put(&before, &k, 1, other);
    shmem_fence();
    shmem_long_p(&flag, k, other);
}

static void set_fence_p(long k)
{
    shmem_long_atomic_set(&before, k, other);
    shmem_fence();
    shmem_long_p(&flag, k, other);
}

static void p_quiet_get(long k)
{
    shmem_long_p(&before, k, other);
    shmem_quiet();
    CHECK(shmem_long_g(&before, other) == k, "a get behind a quiet found an old value");
    long there = 0;
    shmem_long_get(&there, &before, 1, other);
    CHECK(there == k, "a longer get behind a quiet found %ld", there);
    shmem_long_p(&flag, k, other);
}

static void p_signal(long k)
{
    shmem_long_p(&before, k, other);
    shmem_fence();
    shmem_putmem_signal(large, source, sizeof large, &signalled, (uint64_t)k, SHMEM_SIGNAL_SET,
                        other);
}

static void signal_awaited(long k)
{
    shmem_signal_wait_until(&signalled, SHMEM_CMP_EQ, (uint64_t)k);
    CHECK(before == k, "a signal came without what was put before");
}

static void p_large_p(long k)
{
    memset(source, (int)(k % 100), sizeof source);
    shmem_long_p(&before, k, other);
    shmem_putmem(large, source, sizeof source, other);
    shmem_fence();
    shmem_long_p(&flag, k, other);
}

static void large_awaited(long k)
{
    awaited(k);
    for (int i = 0; i < LARGE; i++)
        CHECK(large[i] == k % 100, "a byte of a long put is missing");
}

static void some_p(long k, long n)
{
    for (long i = 1; i <= n; i++)
        shmem_long_p(&before, i == n ? k : i, other);
    shmem_fence();
    shmem_long_p(&flag, k, other);
}

static void few_p(long k)
{
    some_p(k, 7);
}

/** So many are collected, and those that follow, too, for some time. */
static void many_p(long k)
{
    some_p(k, k > most - 20 ? 1000 : 8);
}

static void p_add(long k)
{
    shmem_long_p(&before, k, other);
    shmem_quiet();
    long old = shmem_long_atomic_fetch_add(&counter, 1, other);
    CHECK(old >= 0, "a counter is %ld", old);
    shmem_long_p(&flag, k, other);
}

/** The target calls nothing meanwhile. */
static void p_alone(long k)
{
    shmem_long_p(&before, k, other);
    shmem_fence();
    shmem_long_p(&flag, k, other);
}

static void spins(long k)
{
    double end = now_s() + 20;
    while (__atomic_load_n(&flag, __ATOMIC_ACQUIRE) != k && now_s() < end)
        ;
    CHECK(flag == k, "a put did not come while its target computed");
    CHECK(before == k, "it came without what was put before");
}

static const struct {
    void (*act)(long k), (*see)(long k);
} STEPS[] = {{p_fence_p, awaited},       {p_fence_put, awaited},     {p_fence_set, awaited},
             {put_fence_p, awaited},     {set_fence_p, awaited},     {p_quiet_get, awaited},
             {p_signal, signal_awaited}, {p_large_p, large_awaited}, {few_p, awaited},
             {many_p, awaited},          {p_add, awaited},           {p_alone, spins}};
#define NSTEPS ((long)(sizeof STEPS / sizeof STEPS[0]))

/** A barrier completes what was put, too. */
static void all_meet(long k)
{
    for (int pe = 0; pe < shmem_n_pes(); pe++)
        shmem_long_p(&from_all[me], k, pe);
    shmem_barrier_all();
    for (int pe = 0; pe < shmem_n_pes(); pe++)
        CHECK(from_all[pe] == k, "a barrier did not wait for a put");
    shmem_barrier_all();
}

int main(int argc, char **argv)
{
    long of_turns = argc > 1 ? atol(argv[1]) : 40, times = argc > 2 ? atol(argv[2]) : 120;
    most = times;
    shmem_init();
    me = shmem_my_pe();
    other = !me;
    for (long k = 1; k <= times; k++) {
        take_turns(k % 8 == 0 ? of_turns / 8 : of_turns);
        bool acts = (me == 0) == (k / NSTEPS % 2 == 0);
        if (acts)
            STEPS[k % NSTEPS].act(k);
        else
            STEPS[k % NSTEPS].see(k);
        if (k % 20 == 0)
            all_meet(k);
    }
    shmem_barrier_all();
    shmem_finalize();
    return check_result();
}
