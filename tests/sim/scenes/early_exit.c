// SPDX-License-Identifier: BSD-3-Clause
//
// A PE that ends with status 0 and without shmem_finalize finalizes: it serves the others, who
// still use its memory, until they have come to their ends.
#include <shmem.h>
#include <unistd.h>

#include "sim.h"

enum { PES = 3, ROUNDS = 2 };
static long counter, words[PES];

static void run(void)
{
    shmem_init();
    int me = shmem_my_pe();
    shmem_barrier_all();
    sim_begin();
    if (me == 0)
        return;
    if (sim_draw(4) == 0)
        usleep(1000000);
    for (int i = 0; i < ROUNDS; i++)
        shmem_long_atomic_inc(&counter, 0);
    shmem_long_p(&words[me], me, 0);
    shmem_quiet();
    SIM_CHECK(shmem_long_g(&words[me], 0) == me, "a PE in its end has not %d", me);
    if (sim_draw(2))
        shmem_finalize();
}

const sim_scene_t sim_scene = {.name = "early_exit", .npes = PES, .nnodes = 2, .run = run};
