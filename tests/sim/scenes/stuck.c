// SPDX-License-Identifier: BSD-3-Clause
//
// PEs that wait in vain: for a word that no other sets, for locks in a ring, or for one that
// computes. Where all wait, the report of the deadlock ends the job.
#include <shmem.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

#include "sim.h"

enum { PES = 3, LATE_US = 4000000, TESTS = 800 };
static long word, done, locks[PES];

static void wait_in_ring(int me)
{
    shmem_set_lock(&locks[me]);
    shmem_sync_all();
    shmem_set_lock(&locks[(me + 1) % PES]);
    SIM_CHECK(0, "PE %d has two locks of the ring", me);
}

/** One computes, or tests for a word, and then sets what the others wait for. */
static void be_late(int me, int late, bool polls)
{
    if (me == late && polls)
        for (int i = 0; i < TESTS; i++, usleep(LATE_US / TESTS))
            shmem_long_test(&word, SHMEM_CMP_EQ, 1);
    else if (me == late)
        usleep(LATE_US);
    for (int pe = 0; pe < PES && me == late; pe++)
        shmem_long_p(&done, 1, pe);
    shmem_long_wait_until(&done, SHMEM_CMP_EQ, 1);
}

static void run(void)
{
    setenv("CAUSEWAY_DEADLOCK", "1", 1);
    setenv("CAUSEWAY_DEADLOCK_ACTION", "abort", 1);
    shmem_init();
    int me = shmem_my_pe();
    shmem_barrier_all();
    sim_begin();
    be_late(me, (int)(sim_seed() % PES), sim_seed() % 2);
    switch (sim_seed() / PES % 4) {
    case 0:
        wait_in_ring(me);
        break;
    case 1:
        shmem_long_wait_until(&word, SHMEM_CMP_EQ, 1);
        SIM_CHECK(0, "the wait of PE %d has ended", me);
        break;
    case 2:
        if (me)
            shmem_barrier_all();
        shmem_long_wait_until(&word, SHMEM_CMP_EQ, 1);
        SIM_CHECK(0, "the wait of PE %d has ended", me);
        break;
    default:
        break;
    }
    shmem_barrier_all();
    sim_end();
    shmem_finalize();
}

const sim_scene_t sim_scene = {.name = "stuck",
                               .npes = PES,
                               .nnodes = 2,
                               .run = run,
                               .most_steps = 64000000,
                               .most_ns = UINT64_C(60000000000),
                               .may_fail = 1};
