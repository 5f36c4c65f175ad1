// SPDX-License-Identifier: BSD-3-Clause
//
// A PE of a node ends at any step, under a launcher that neither sees it nor ends the others: they
// end the job, and say which PE it was and how it ended.
#include <shmem.h>
#include <unistd.h>

#include "sim.h"

enum { PES = 3, ROUNDS = 3 };
static long words[PES], flag;

/** A barrier, a wait for a word, or time in which this PE calls nothing. */
static void meet(int me, long round)
{
    if (sim_draw(3) == 0)
        usleep(sim_draw(2000));
    shmem_long_p(&words[me], round, (me + 1) % PES);
    shmem_long_atomic_set(&flag, round, (me + 1) % PES);
    shmem_long_wait_until(&flag, SHMEM_CMP_GE, round);
    int before = (me + PES - 1) % PES;
    SIM_CHECK(words[before] >= round, "behind flag %ld the word is %ld", round, words[before]);
    shmem_barrier_all();
}

static void run(void)
{
    shmem_init();
    int me = shmem_my_pe();
    shmem_barrier_all();
    sim_begin();
    for (long round = 1; round <= ROUNDS; round++)
        meet(me, round);
    shmem_finalize();
    sim_end();
}

const sim_scene_t sim_scene = {.name = "neighbours",
                               .npes = PES,
                               .nnodes = 1,
                               .run = run,
                               .blind_launcher = 1,
                               .faults = SIM_MAY_KILL | SIM_MAY_EXIT};
