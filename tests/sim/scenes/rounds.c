// SPDX-License-Identifier: BSD-3-Clause
//
// Alltoalls by rounds over a team on three nodes of two, two and one PEs, of so many bytes that the
// team's scratch holds half of what goes from one node to another. Between them reductions, whose
// leaders raise the same words. A source is overwritten as soon as its call returns.
#include <shmem.h>
#include <stdlib.h>

#include "sim.h"

enum { PES = 5, STEPS = 2, BLOCK = 480 };
static long source[PES * BLOCK], dest[STEPS][PES * BLOCK], sums[STEPS][2], addends[2];
static int me;

static long value(int step, int from, int to, int i)
{
    return 1000000L * (step + 1) + 100000 * from + 10000 * to + i;
}

static void exchange(shmem_team_t team, int step)
{
    for (int to = 0; to < PES; to++)
        for (int i = 0; i < BLOCK; i++)
            source[to * BLOCK + i] = value(step, me, to, i);
    shmem_long_alltoall(team, dest[step], source, BLOCK);
    for (int i = 0; i < PES * BLOCK; i++)
        source[i] = -1;
    for (int from = 0; from < PES; from++)
        for (int i = 0; i < BLOCK; i++)
            SIM_CHECK(dest[step][from * BLOCK + i] == value(step, from, me, i),
                      "step %d: element %d of PE %d is %ld, not %ld", step, i, from,
                      dest[step][from * BLOCK + i], value(step, from, me, i));
}

static void reduce(shmem_team_t team, int step)
{
    addends[0] = me + 1;
    addends[1] = step;
    shmem_long_sum_reduce(team, sums[step], addends, 2);
    SIM_CHECK(sums[step][0] == PES * (PES + 1) / 2 && sums[step][1] == step * PES,
              "step %d: the sums are %ld and %ld", step, sums[step][0], sums[step][1]);
}

static void run(void)
{
    setenv("CAUSEWAY_COLL", "alltoall=rounds,reduce=exchange", 1);
    shmem_init();
    me = shmem_my_pe();
    shmem_team_t team;
    shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, PES, NULL, 0, &team);
    shmem_barrier_all();
    sim_begin();
    for (int step = 0; step < STEPS; step++) {
        exchange(team, step);
        reduce(team, step);
    }
    shmem_barrier_all();
    sim_end();
    shmem_team_destroy(team);
    shmem_finalize();
}

const sim_scene_t sim_scene = {
    .name = "rounds", .npes = PES, .nnodes = 3, .run = run, .most_steps = 64000000};
