// SPDX-License-Identifier: BSD-3-Clause
//
// Words of all sizes of PEs of a node and of another one: what a PE puts before a flag of 2, 4 or 8
// bytes is there behind the wait for it; atomics on 4 bytes are exact, each bit is its PE's.
#include <shmem.h>
#include <stdlib.h>
#include <unistd.h>

#include "sim.h"

enum { PES = 3, ROUNDS = 2 };
static char chars[PES];
static short shorts[PES], short_flags[PES];
static int ints[PES], int_flags[PES], sum, last;
static unsigned bits, up;
static long longs[PES], long_flags[PES];

static void put(int me, int to, int round)
{
    shmem_char_p(&chars[me], (char)round, to);
    shmem_short_p(&shorts[me], (short)round, to);
    shmem_int_p(&ints[me], round, to);
    shmem_long_p(&longs[me], round, to);
    if (sim_draw(2))
        shmem_fence();
    else
        shmem_quiet();
    switch (sim_draw(3)) {
    case 0:
        shmem_short_p(&short_flags[me], (short)round, to);
        break;
    case 1:
        shmem_int_p(&int_flags[me], round, to);
        break;
    default:
        shmem_long_atomic_set(&long_flags[me], round, to);
    }
    shmem_quiet();
    SIM_CHECK(shmem_char_g(&chars[me], to) == round && shmem_short_g(&shorts[me], to) == round &&
                  shmem_int_g(&ints[me], to) == round && shmem_long_g(&longs[me], to) == round,
              "PE %d does not get what it put", me);
}

/** Which of the flags it is, is not known. */
static void await(int from, int round)
{
    for (;;) {
        if (shmem_short_test(&short_flags[from], SHMEM_CMP_EQ, (short)round) ||
            shmem_int_test(&int_flags[from], SHMEM_CMP_EQ, round) ||
            shmem_long_test(&long_flags[from], SHMEM_CMP_EQ, round))
            break;
        usleep(100);
    }
    SIM_CHECK(chars[from] == round && shorts[from] == round && ints[from] == round &&
                  longs[from] == round,
              "%d, %d, %d and %ld are there behind flag %d", chars[from], shorts[from], ints[from],
              longs[from], round);
}

/** A token goes round the ring: waits, not tests. */
static void pass_on(int me, int round)
{
    short token = (short)(100 * round);
    if (me > 0)
        shmem_short_wait_until(&short_flags[me], SHMEM_CMP_EQ, token);
    else
        shmem_short_p(&short_flags[1], token, 1);
    if (me > 0 && me + 1 < PES)
        shmem_short_p(&short_flags[me + 1], token, me + 1);
    int word = 100 * round;
    if (me > 0)
        shmem_int_wait_until(&int_flags[me], SHMEM_CMP_EQ, word);
    else
        shmem_int_p(&int_flags[1], word, 1);
    if (me > 0 && me + 1 < PES)
        shmem_int_p(&int_flags[me + 1], word, me + 1);
}

static void update(int me, int round)
{
    const unsigned bit = 1u << me;
    unsigned before = shmem_uint_atomic_fetch_xor(&bits, bit, 0);
    SIM_CHECK((before & bit ? 1 : 0) == (round + 1) % 2, "the bit of PE %d is not as it left it",
              me);
    before = shmem_uint_atomic_fetch_or(&up, bit, 1);
    SIM_CHECK(!(before & bit), "a bit is up that PE %d took down", me);
    shmem_uint_atomic_and(&up, ~bit, 1);
    shmem_int_atomic_add(&sum, 1, 0);
    int seen = shmem_int_atomic_fetch_inc(&sum, 0);
    SIM_CHECK(seen > last, "PE %d fetches %d behind %d", me, seen, last);
    last = seen;
    SIM_CHECK(shmem_int_atomic_fetch(&sum, 0) > seen, "a count is lost");
    for (int old = shmem_int_atomic_fetch(&sum, 0), was;; old = was)
        if ((was = shmem_int_atomic_compare_swap(&sum, old, old + 1, 0)) == old)
            break;
}

static void run(void)
{
    if (sim_setting(0, 3) == 0)
        setenv("CAUSEWAY_ATOMICS", "nic", 1);  // the network has none
    shmem_init();
    int me = shmem_my_pe();
    shmem_barrier_all();
    sim_begin();
    for (int round = 1; round <= ROUNDS; round++) {
        put(me, (me + 1) % PES, round);
        await((me + PES - 1) % PES, round);
        update(me, round);
        shmem_barrier_all();
        pass_on(me, round);
        shmem_barrier_all();
    }
    sim_end();
    SIM_CHECK(me || sum == 3 * PES * ROUNDS, "counted are %d", sum);
    SIM_CHECK(me != 1 || up == 0, "bits %x are up", up);
    shmem_finalize();
}

const sim_scene_t sim_scene = {
    .name = "typed", .npes = PES, .nnodes = 2, .run = run, .most_steps = 64000000};
