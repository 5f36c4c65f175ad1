// SPDX-License-Identifier: BSD-3-Clause
//
// Two PEs of a node: a put, a flag, and a wait that sleeps.
#include <shmem.h>

#include "sim.h"

static long data, flag;

static void run(void)
{
    shmem_init();
    int me = shmem_my_pe();
    shmem_barrier_all();
    sim_begin();
    if (me == 0) {
        shmem_long_p(&data, 42, 1);
        shmem_fence();
        shmem_long_p(&flag, 1, 1);
    } else {
        shmem_long_wait_until(&flag, SHMEM_CMP_EQ, 1);
        SIM_CHECK(data == 42, "data is %ld behind the flag", data);
    }
    shmem_barrier_all();
    sim_end();
    shmem_finalize();
}

const sim_scene_t sim_scene = {.name = "node_put", .npes = 2, .nnodes = 1, .run = run};
