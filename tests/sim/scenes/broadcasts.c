// SPDX-License-Identifier: BSD-3-Clause
//
// Broadcasts in a row from roots that leave early, over two nodes: by changing roots, of sizes that
// fill the scratch, into a dest that is used again at once, with other collectives in between.
#include <shmem.h>

#include "sim.h"

enum { PES = 3, ROW = 8, ROUNDS = 9, LONGS = 10000 };
static long source[LONGS], dest[LONGS], sum;

static void broadcast(int root, size_t n, long value)
{
    source[0] = source[n - 1] = shmem_my_pe() == root ? value : -1;
    shmem_long_broadcast(SHMEM_TEAM_WORLD, dest, source, n, root);
    SIM_CHECK(dest[0] == value && dest[n - 1] == value, "%ld and %ld come instead of %ld", dest[0],
              dest[n - 1], value);
    dest[0] = dest[n - 1] = -2;
}

static void run(void)
{
    shmem_init();
    shmem_barrier_all();
    sim_begin();
    for (long round = 1; round <= ROW; round++)
        broadcast(0, LONGS, round);
    for (long round = 1; round <= ROUNDS; round++) {
        broadcast((int)(round / 3) % PES, round % 2 ? 1 : 30, 100 + round);
        if (round == 4) {
            source[0] = shmem_my_pe();
            shmem_long_sum_reduce(SHMEM_TEAM_WORLD, &sum, source, 1);
            SIM_CHECK(sum == PES * (PES - 1) / 2, "the sum is %ld", sum);
        } else if (round == 7) {
            shmem_sync_all();
        }
    }
    shmem_barrier_all();
    sim_end();
    shmem_finalize();
}

const sim_scene_t sim_scene = {.name = "broadcasts", .npes = PES, .nnodes = 2, .run = run};
