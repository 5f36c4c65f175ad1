// SPDX-License-Identifier: BSD-3-Clause
//
// A node server's own client, by which it passes requests on, has been quiet for long, and is left
// out of the server's sleeps; then there are requests again, which no time-out may answer.
#include <shmem.h>

#include "sim.h"

enum { PES = 3, POLLS = 300, ROUNDS = 3 };
static long counter, never;

static void run(void)
{
    shmem_init();
    int me = shmem_my_pe();
    for (int pe = 0; pe < PES; pe++)
        shmem_long_atomic_inc(&counter, pe);
    shmem_barrier_all();
    for (int i = 0; i < POLLS; i++)
        shmem_long_test(&never, SHMEM_CMP_NE, 0);
    sim_begin();
    for (int round = 0; round < ROUNDS; round++) {
        if (sim_draw(2))
            shmem_long_atomic_fetch_add(&counter, 1, (me + 2) % PES);
        shmem_long_atomic_inc(&counter, (me + 1) % PES);
        shmem_quiet();
    }
    shmem_barrier_all();
    sim_end();
    shmem_finalize();
}

static const char *const env[] = {"CAUSEWAY_TOPOLOGY=3", "CAUSEWAY_AGGREGATE=off", NULL};
const sim_scene_t sim_scene = {.name = "quiet_server",
                               .npes = PES,
                               .nnodes = PES,
                               .run = run,
                               .env = env,
                               .timeless = SIM_UNDER_SC | SIM_UNDER_TSO};
