// SPDX-License-Identifier: BSD-3-Clause
//
// Connections that the network closes, at any step, by no process's end: each PE ends with the
// values that it is to have, or with a message.
#include <shmem.h>
#include <stdlib.h>

#include "sim.h"

enum { PES = 3, ROUNDS = 2 };
static long words[PES], counter;

static void run(void)
{
    if (sim_setting(0, 2))
        setenv("CAUSEWAY_MAX_CONNECTIONS", "1", 1);
    shmem_init();
    int me = shmem_my_pe();
    shmem_barrier_all();
    sim_begin();
    for (long round = 1; round <= ROUNDS; round++) {
        for (int pe = 0; pe < PES; pe++) {
            shmem_long_p(&words[me], round, pe);
            shmem_long_atomic_inc(&counter, pe);
            shmem_quiet();
            long seen = shmem_long_g(&words[me], pe);
            SIM_CHECK(seen == round, "PE %d has %ld in round %ld, says PE %d", pe, seen, round, me);
        }
        shmem_barrier_all();
        for (int pe = 0; pe < PES; pe++)
            SIM_CHECK(words[pe] == round, "of PE %d came %ld in round %ld", pe, words[pe], round);
        SIM_CHECK(counter == round * PES, "counted are %ld in round %ld", counter, round);
        shmem_barrier_all();
    }
    sim_end();
    shmem_finalize();
}

const sim_scene_t sim_scene = {.name = "cut_links",
                               .npes = PES,
                               .nnodes = PES,
                               .run = run,
                               .most_ns = UINT64_C(300000000000),
                               .faults = SIM_MAY_LOSE_LINK};
