// SPDX-License-Identifier: BSD-3-Clause
//
// Synchronisations of a node: early and late members, a team of its own made and destroyed, small
// reductions; values stored before are seen behind.
#include <shmem.h>

#include "sim.h"

enum { PES = 3, ROUNDS = 3 };
static long words[PES], sum, mine;

static void run(void)
{
    shmem_init();
    int me = shmem_my_pe();
    shmem_barrier_all();
    sim_begin();
    for (long round = 1; round <= ROUNDS; round++) {
        for (int pe = 0; pe < PES; pe++)
            shmem_long_p(&words[me], round, pe);
        shmem_barrier_all();
        for (int pe = 0; pe < PES; pe++)
            SIM_CHECK(words[pe] == round, "word %d is %ld in round %ld", pe, words[pe], round);
        mine = me + round;
        shmem_long_sum_reduce(SHMEM_TEAM_WORLD, &sum, &mine, 1);
        SIM_CHECK(sum == PES * round + 3, "the sum is %ld in round %ld", sum, round);
    }
    shmem_team_t team = SHMEM_TEAM_INVALID;
    shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 2, 2, NULL, 0, &team);
    if (team != SHMEM_TEAM_INVALID) {
        shmem_team_sync(team);
        shmem_team_destroy(team);
    }
    shmem_barrier_all();
    sim_end();
    shmem_finalize();
}

const sim_scene_t sim_scene = {
    .name = "node_sync", .npes = PES, .nnodes = 1, .run = run, .timeless = SIM_UNDER_ALL};
