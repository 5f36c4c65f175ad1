// SPDX-License-Identifier: BSD-3-Clause
//
// Statistics and trace of a job are gathered one behind the other, over a transport that lets a
// read pass the puts before it: the job ends.
#include <shmem.h>
#include <stdlib.h>

#include "sim.h"

static long word;

static void run(void)
{
    static const char *const delays[] = {"1:20", "2:20", "3:20", "4:100"};
    setenv("CAUSEWAY_DELAY", delays[sim_setting(0, 4)], 1);
    setenv("CAUSEWAY_STATS", "json:/dev/null", 1);
    setenv("CAUSEWAY_TRACE", "/dev/null", 1);
    sim_begin();
    shmem_init();
    shmem_long_p(&word, 1, 1 - shmem_my_pe());
    shmem_barrier_all();
    SIM_CHECK(word == 1, "the word is %ld behind a barrier", word);
    shmem_finalize();
    sim_end();
}

const sim_scene_t sim_scene = {.name = "gatherings", .npes = 2, .nnodes = 2, .run = run};
