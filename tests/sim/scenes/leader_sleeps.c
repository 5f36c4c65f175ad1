// SPDX-License-Identifier: BSD-3-Clause
//
// Synchronisations of two nodes, in which the first PE of a node sleeps until the other one has
// come.
#include <shmem.h>

#include "sim.h"

enum { PES = 4, ROUNDS = 6 };

static void run(void)
{
    shmem_init();
    shmem_sync_all();
    sim_begin();
    for (int round = 0; round < ROUNDS; round++) {
        // few: members come just when their first one announces its sleep
        for (uint32_t k = sim_draw(sim_draw(2) ? 3 : 30); k > 0; k--)
            sim_yield();
        shmem_sync_all();
    }
    sim_end();
    shmem_finalize();
}

static const char *const env[] = {"CAUSEWAY_SPIN=0", "CAUSEWAY_YIELDS=0", NULL};
const sim_scene_t sim_scene = {.name = "leader_sleeps",
                               .npes = PES,
                               .nnodes = 2,
                               .run = run,
                               .env = env,
                               .timeless = SIM_UNDER_ALL};
