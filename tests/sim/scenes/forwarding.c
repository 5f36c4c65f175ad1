// SPDX-License-Identifier: BSD-3-Clause
//
// Requests along a mesh of four nodes: atomics of all to PE 0 over the servers between, beside puts
// that go straight; a quiet covers both.
#include <shmem.h>

#include "sim.h"

enum { PES = 4, ROUNDS = 3 };
static long counter, marks[PES];

static void run(void)
{
    shmem_init();
    int me = shmem_my_pe();
    shmem_barrier_all();
    sim_begin();
    long last = -1;
    for (int round = 0; round < ROUNDS; round++) {
        shmem_long_atomic_inc(&counter, 0);
        long seen = shmem_long_atomic_fetch_add(&counter, 1, 0);
        SIM_CHECK(seen > last, "PE %d fetches %ld behind %ld", me, seen, last);
        last = seen;
    }
    shmem_long_p(&marks[me], 1, 0);
    shmem_long_atomic_add(&counter, 100, PES - 1);
    shmem_quiet();
    shmem_barrier_all();
    sim_end();
    if (me == 0)
        SIM_CHECK(counter == 2 * ROUNDS * PES && marks[PES - 1] == 1, "counted are %ld", counter);
    if (me == PES - 1)
        SIM_CHECK(counter == 100 * PES, "added are %ld", counter);
    shmem_barrier_all();
    shmem_finalize();
}

static const char *const env[] = {"CAUSEWAY_TOPOLOGY=2x2", NULL};
const sim_scene_t sim_scene = {.name = "forwarding",
                               .npes = PES,
                               .nnodes = PES,
                               .run = run,
                               .timeless = SIM_UNDER_SC | SIM_UNDER_TSO,
                               .env = env};
