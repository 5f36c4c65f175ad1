// SPDX-License-Identifier: BSD-3-Clause
//
// RDM endpoints: other processes' messages break off in receives of servers and clients, and
// replies fail, when they are sent or later. Each request is executed once, and answered.
#include <shmem.h>
#include <stdlib.h>

#include "sim.h"

enum { PES = 3, ROUNDS = 8 };
static long counter, words[PES];

static void run(void)
{
    uint32_t what = sim_setting(0, 3);
    setenv("CAUSEWAY_ENDPOINT", "rdm", 1);
    setenv("CAUSEWAY_MULTI_RECV", sim_setting(1, 2) ? "1" : "0", 1);
    if (what != 0)
        setenv("SIM_UNPROVED", "1", 1);
    if (what != 1)
        setenv("SIM_FAILURES", "1", 1);
    shmem_init();
    int me = shmem_my_pe();
    shmem_barrier_all();
    sim_begin();
    long last = -1;
    for (long round = 1; me > 0 && round <= ROUNDS; round++) {
        long seen = shmem_long_atomic_fetch_add(&counter, 1, 0);
        SIM_CHECK(seen > last && seen < (PES - 1) * ROUNDS, "PE %d fetches %ld behind %ld", me,
                  seen, last);
        last = seen;
        shmem_long_atomic_inc(&words[me], 0);
    }
    shmem_barrier_all();
    sim_end();
    if (me == 0)
        SIM_CHECK(counter == (PES - 1) * ROUNDS && words[1] == ROUNDS && words[2] == ROUNDS,
                  "counted are %ld, %ld and %ld", counter, words[1], words[2]);
    shmem_barrier_all();
    shmem_finalize();
}

const sim_scene_t sim_scene = {.name = "broken", .npes = PES, .nnodes = PES, .run = run};
