// SPDX-License-Identifier: BSD-3-Clause
//
// A PE ends the job under a launcher that hears nothing of it, or ends without a word, and mostly
// another one is killed at any step: those that are left end, too.
#include <shmem.h>
#include <stdlib.h>
#include <unistd.h>

#include "sim.h"

enum { PES = 4, ROUNDS = 3, STATUS = 7 };
static long flag;

static void end_job(void)
{
    switch (sim_draw(3)) {
    case 0:
        shmem_global_exit(STATUS);
    case 1:
        exit(STATUS);  // without shmem_finalize
    default:
        _exit(STATUS);
    }
}

static void run(void)
{
    shmem_init();
    int me = shmem_my_pe(), ends = (int)(sim_seed() / PES % PES);
    shmem_barrier_all();
    sim_begin();
    uint32_t last = sim_draw(ROUNDS);
    for (uint32_t round = 0; round < ROUNDS; round++) {
        if (sim_draw(3) == 0)
            usleep(sim_draw(2000));
        if (me == ends && round == last)
            end_job();
        if (sim_draw(2))
            shmem_long_wait_until(&flag, SHMEM_CMP_GE, (long)round);
        shmem_barrier_all();
        shmem_long_p(&flag, (long)round + 1, (me + 1) % PES);
    }
    shmem_finalize();
    sim_end();
}

const sim_scene_t sim_scene = {.name = "unheard_ends",
                               .npes = PES,
                               .nnodes = 1,
                               .run = run,
                               .most_ns = UINT64_C(60000000000),
                               .blind_launcher = 1,
                               .deaf_launcher = 1,
                               .faults = SIM_MAY_KILL};
