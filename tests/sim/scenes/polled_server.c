// SPDX-License-Identifier: BSD-3-Clause
//
// Programs that poll a word for long, with cores to spare: each call makes the progress of its
// node's server, whose thread naps, and still opens the connections by which requests are forwarded
// and answered.
#include <shmem.h>

#include "sim.h"

enum { PES = 4, FAR = 3 };  // two dimensions away from PE 0
static long word, over;

static void run(void)
{
    shmem_init();
    const int me = shmem_my_pe();
    shmem_barrier_all();
    sim_begin();
    if (me == 0) {
        shmem_long_atomic_inc(&word, FAR);
        shmem_quiet();
        for (int pe = 1; pe < PES; pe++)
            shmem_long_p(&over, 1, pe);
    } else {
        while (!shmem_long_test(&over, SHMEM_CMP_NE, 0))
            ;
    }
    shmem_barrier_all();
    SIM_CHECK(me != FAR || word == 1, "%ld", word);
    sim_end();
    shmem_finalize();
}

static const char *const env[] = {"CAUSEWAY_TOPOLOGY=hypercube", NULL};
const sim_scene_t sim_scene = {.name = "polled_server",
                               .npes = PES,
                               .nnodes = PES,
                               .run = run,
                               .env = env,
                               .timeless = SIM_UNDER_SC | SIM_UNDER_TSO};
