// SPDX-License-Identifier: BSD-3-Clause
//
// What a PE has collected for one node is there behind its quiet, also for a third PE that learns
// of the quiet otherwise than by that node.
#include <shmem.h>

#include "sim.h"

enum { PES = 3, ROUNDS = 3, OPS = 4 };
static long counter, stored[OPS], flag;

static void issue(long round)
{
    for (int i = 0; i < OPS; i++) {
        shmem_long_atomic_inc(&counter, 1);
        shmem_long_put_nbi(&stored[i], &round, 1, 1);
    }
    shmem_quiet();
    shmem_long_p(&flag, round, 2);
}

static void look(long round)
{
    shmem_long_wait_until(&flag, SHMEM_CMP_GE, round);
    long count = shmem_long_atomic_fetch(&counter, 1);
    SIM_CHECK(count >= OPS * round, "counted are %ld behind the quiet of round %ld", count, round);
    for (int i = 0; i < OPS; i++) {
        long seen = shmem_long_g(&stored[i], 1);
        SIM_CHECK(seen >= round, "a word is %ld behind the quiet of round %ld", seen, round);
    }
}

static void run(void)
{
    shmem_init();
    int me = shmem_my_pe();
    shmem_barrier_all();
    sim_begin();
    for (long round = 1; round <= ROUNDS; round++) {
        if (me == 0)
            issue(round);
        if (me == 2)
            look(round);
    }
    sim_end();
    shmem_barrier_all();
    shmem_finalize();
}

static const char *const env[] = {"CAUSEWAY_AGGREGATE=on", NULL};
const sim_scene_t sim_scene = {
    .name = "quiet_third", .npes = PES, .nnodes = PES, .run = run, .env = env};
