// SPDX-License-Identifier: BSD-3-Clause
//
// Nodes that forward, and between two requests wait long for nothing: their servers sleep without
// the connections by which they forward, and take part again with the next request.
#include <shmem.h>
#include <stdlib.h>
#include <unistd.h>

#include "sim.h"

enum { PES = 4, ROUNDS = 2, FAR = 3 };  // two dimensions away from PE 0
static long word, back;

static void run(void)
{
    setenv("CAUSEWAY_TOPOLOGY", "hypercube", 1);
    shmem_init();
    const int me = shmem_my_pe();
    shmem_barrier_all();
    sim_begin();
    for (long round = 1; round <= ROUNDS; round++) {
        if (me == 0) {
            usleep(1000 * (1 + sim_draw(8000)));
            shmem_long_atomic_inc(&word, FAR);
            shmem_quiet();
            shmem_long_wait_until(&back, SHMEM_CMP_EQ, round);
        } else if (me == FAR) {
            shmem_long_wait_until(&word, SHMEM_CMP_EQ, round);
            usleep(1000 * (1 + sim_draw(8000)));
            SIM_CHECK(shmem_long_atomic_fetch_inc(&back, 0) == round - 1, "not %ld before",
                      round - 1);
        }
    }
    shmem_barrier_all();
    sim_end();
    shmem_finalize();
}

const sim_scene_t sim_scene = {.name = "idle_server",
                               .npes = PES,
                               .nnodes = PES,
                               .run = run,
                               .most_steps = 64000000,
                               .most_ns = UINT64_C(400000000000)};
