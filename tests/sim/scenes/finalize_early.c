// SPDX-License-Identifier: BSD-3-Clause
//
// One PE finalizes while others come to a barrier: that does not match their barrier, and the job
// ends with a message.
#include <shmem.h>

#include "sim.h"

enum { PES = 2 };

static void run(void)
{
    shmem_init();
    int me = shmem_my_pe();
    shmem_barrier_all();
    sim_begin();
    if (me > 0) {
        shmem_barrier_all();
        SIM_CHECK(0, "a barrier returns on PE %d that PE 0 has not come to", me);
    }
    shmem_finalize();
    sim_end();
}

const sim_scene_t sim_scene = {.name = "finalize_early",
                               .npes = PES,
                               .nnodes = 1,
                               .run = run,
                               .may_fail = 1,
                               .most_ns = 60000000000};
