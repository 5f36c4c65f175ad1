// SPDX-License-Identifier: BSD-3-Clause
//
// A PE ends, by an exit with status 0 or by shmem_finalize, and another one waits for it in a
// barrier, or for a word that no PE writes: the job ends with a message, however long they sleep.
#include <shmem.h>

#include "sim.h"

enum { PES = 3 };
static long word;

static void run(void)
{
    shmem_init();
    int me = shmem_my_pe();
    shmem_barrier_all();
    sim_begin();
    if (me == 0 && sim_draw(8) == 0)
        shmem_finalize();
    if (me == 0)
        return;
    if (me == 2 && sim_draw(2))
        return;
    if (sim_draw(2))
        shmem_barrier_all();
    shmem_long_wait_until(&word, SHMEM_CMP_EQ, 1);
    SIM_CHECK(0, "the wait of PE %d has ended", me);
}

const sim_scene_t sim_scene = {.name = "early_wait",
                               .npes = PES,
                               .nnodes = 2,
                               .run = run,
                               .most_steps = 8000000,
                               .most_ns = UINT64_C(20000000000),
                               .may_fail = 1};
