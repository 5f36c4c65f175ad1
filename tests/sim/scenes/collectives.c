// SPDX-License-Identifier: BSD-3-Clause
//
// Collectives over two nodes of two PEs: entered early and late, a root that leaves early, dest
// reused at once, data behind barriers.
#include <shmem.h>

#include "sim.h"

enum { PES = 4, ROUNDS = 2 };
static long source[2], dest[2 * PES], word;

static void run(void)
{
    shmem_init();
    int me = shmem_my_pe();
    shmem_barrier_all();
    sim_begin();
    for (long round = 1; round <= ROUNDS; round++) {
        int root = (int)round % PES;
        source[0] = me == root ? 100 * round : -1;
        shmem_long_broadcast(SHMEM_TEAM_WORLD, dest, source, 1, root);
        SIM_CHECK(dest[0] == 100 * round, "broadcast gives %ld", dest[0]);
        source[0] = me + round;
        shmem_long_fcollect(SHMEM_TEAM_WORLD, dest, source, 1);
        for (int pe = 0; pe < PES; pe++)
            SIM_CHECK(dest[pe] == pe + round, "fcollect gives %ld of PE %d", dest[pe], pe);
        shmem_long_max_reduce(SHMEM_TEAM_WORLD, dest, source, 1);
        SIM_CHECK(dest[0] == PES - 1 + round, "the maximum is %ld", dest[0]);
        shmem_long_p(&word, round, (me + 1) % PES);
        shmem_barrier_all();
        SIM_CHECK(word == round, "the word is %ld behind the barrier", word);
    }
    shmem_barrier_all();
    sim_end();
    shmem_finalize();
}

const sim_scene_t sim_scene = {.name = "collectives",
                               .npes = PES,
                               .nnodes = 2,
                               .run = run,
                               .timeless = SIM_UNDER_SC | SIM_UNDER_TSO};
