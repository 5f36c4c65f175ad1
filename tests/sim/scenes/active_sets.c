// SPDX-License-Identifier: BSD-3-Clause
//
// Active sets that overlap, on a node: synchronisations through psync arrays that are used again.
#include <shmem.h>

#include "sim.h"

enum { PES = 3, ROUNDS = 3 };
static long pair[2][SHMEM_BARRIER_SYNC_SIZE], all[SHMEM_BARRIER_SYNC_SIZE];
static long words[PES];

static void run(void)
{
    for (int i = 0; i < SHMEM_BARRIER_SYNC_SIZE; i++)
        pair[0][i] = pair[1][i] = all[i] = SHMEM_SYNC_VALUE;
    shmem_init();
    int me = shmem_my_pe();
    shmem_barrier_all();
    sim_begin();
    for (long round = 1; round <= ROUNDS; round++) {
        for (int pe = 0; pe < PES; pe++)
            shmem_long_p(&words[me], round, pe);
        if (me < 2)
            shmem_barrier(0, 0, 2, pair[0]);
        if (me < 2)
            SIM_CHECK(words[!me] >= round, "the word is %ld behind barrier %ld", words[!me], round);
        if (me > 0)
            shmem_barrier(1, 0, 2, pair[1]);
        shmem_sync(0, 0, PES, all);
    }
    shmem_barrier_all();
    sim_end();
    shmem_finalize();
}

const sim_scene_t sim_scene = {
    .name = "active_sets", .npes = PES, .nnodes = 1, .run = run, .timeless = SIM_UNDER_SC};
