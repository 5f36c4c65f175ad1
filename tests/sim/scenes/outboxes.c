// SPDX-License-Identifier: BSD-3-Clause
//
// Three PEs of a node send requests to one PE of another node along a topology: alone, or left in
// an outbox while an answer is due, behind which the node's server looks. None is left for long,
// and those of a PE stay in order.
#include <shmem.h>
#include <stdlib.h>

#include "sim.h"

enum { PES = 4, ROUNDS = 4, TARGET = 3 };
static long counter, last[PES];

static void run(void)
{
    setenv("CAUSEWAY_COMBINE", sim_setting(0, 2) ? "1" : "0", 1);
    shmem_init();
    int me = shmem_my_pe();
    shmem_barrier_all();
    sim_begin();
    long before = -1;
    for (long round = 1; me != TARGET && round <= ROUNDS; round++) {
        shmem_long_atomic_set(&last[me], round, TARGET);
        long seen = sim_draw(2) ? shmem_long_atomic_fetch_add(&counter, 1, TARGET)
                                : shmem_long_atomic_fetch_inc(&counter, TARGET);
        SIM_CHECK(seen > before, "PE %d fetches %ld behind %ld", me, seen, before);
        before = seen;
        if (sim_draw(2))
            shmem_quiet();
        seen = shmem_long_atomic_fetch(&last[me], TARGET);
        SIM_CHECK(seen == round, "PE %d fetches %ld, which it set to %ld", me, seen, round);
    }
    shmem_barrier_all();
    sim_end();
    SIM_CHECK(me != TARGET || counter == TARGET * ROUNDS, "counted are %ld", counter);
    shmem_finalize();
}

static const char *const env[] = {"CAUSEWAY_TOPOLOGY=2", "CAUSEWAY_EDGE_BUFFERS=1",
                                  "CAUSEWAY_AGGREGATE=off", NULL};
const sim_scene_t sim_scene = {.name = "outboxes",
                               .npes = PES,
                               .nnodes = 2,
                               .run = run,
                               .env = env,
                               .most_ns = 300000000,  // a server sleeps for up to a second
                               .timeless = SIM_UNDER_SC | SIM_UNDER_TSO};
