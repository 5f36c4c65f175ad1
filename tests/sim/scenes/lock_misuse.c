// SPDX-License-Identifier: BSD-3-Clause
//
// A lock that is free, or that another PE holds, is released: the job ends with a message, or goes
// on; it does not wait.
#include <shmem.h>

#include "sim.h"

static long lock;

static void run(void)
{
    shmem_init();
    shmem_barrier_all();
    sim_begin();
    if (shmem_my_pe() == 1)
        shmem_clear_lock(&lock);
    shmem_barrier_all();
    sim_end();
    shmem_finalize();
}

const sim_scene_t sim_scene = {
    .name = "lock_misuse", .npes = 2, .nnodes = 1, .run = run, .may_fail = 1};
