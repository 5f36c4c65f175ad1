// SPDX-License-Identifier: BSD-3-Clause
//
// A collective of an active set that reaches beyond the job: it ends with a message, in every mode,
// and does not wait for PEs that do not exist.
#include <shmem.h>

#include "sim.h"

static long psync[SHMEM_BCAST_SYNC_SIZE], source, dest;

static void run(void)
{
    for (int i = 0; i < SHMEM_BCAST_SYNC_SIZE; i++)
        psync[i] = SHMEM_SYNC_VALUE;
    shmem_init();
    shmem_barrier_all();
    sim_begin();
    shmem_broadcast64(&dest, &source, 1, 0, 0, 0, 4, psync);
    sim_end();
    shmem_finalize();
}

const sim_scene_t sim_scene = {
    .name = "set_misuse", .npes = 2, .nnodes = 1, .run = run, .may_fail = 1};
