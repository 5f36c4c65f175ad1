// SPDX-License-Identifier: BSD-3-Clause
//
// PEs of two nodes, one of which ends at any step, or all of a node: under a launcher that ends the
// others, which until then neither crash nor say something of another kind.
#include <shmem.h>

#include "sim.h"

enum { PES = 3, ROUNDS = 2 };
static long words[PES], counter;

static void run(void)
{
    shmem_init();
    int me = shmem_my_pe();
    shmem_barrier_all();
    sim_begin();
    for (long round = 1; round <= ROUNDS; round++) {
        shmem_long_p(&words[me], round, (me + 1) % PES);
        shmem_long_atomic_inc(&counter, (me + 1) % PES);
        shmem_quiet();
        shmem_barrier_all();
    }
    sim_end();
    shmem_finalize();
}

const sim_scene_t sim_scene = {.name = "killed_nodes",
                               .npes = PES,
                               .nnodes = 2,
                               .run = run,
                               .most_steps = 500000,
                               .faults = SIM_MAY_KILL | SIM_MAY_EXIT | SIM_MAY_LOSE_NODE};
