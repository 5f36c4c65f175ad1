// SPDX-License-Identifier: BSD-3-Clause
//
// Starts and ends: PEs that do nothing between init and finalize, or put at once; a second init;
// exit without a barrier of the program's own behind the last put.
#include <shmem.h>

#include "sim.h"

static long word;

static void epoch(long value)
{
    shmem_init();
    int me = shmem_my_pe(), npes = shmem_n_pes();
    if (me == 0 || sim_draw(2))
        shmem_long_p(&word, value, (me + 1) % npes);
    if (value == 1)
        shmem_barrier_all();
    shmem_finalize();
    if (me == 1)
        SIM_CHECK(word == value, "the word is %ld behind finalize %ld", word, value);
}

static void run(void)
{
    sim_begin();
    epoch(1);
    epoch(2);
    sim_end();
}

const sim_scene_t sim_scene = {.name = "start_end", .npes = 3, .nnodes = 2, .run = run};
