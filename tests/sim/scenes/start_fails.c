// SPDX-License-Identifier: BSD-3-Clause
//
// Start-up, puts, atomics and gets between nodes, the end, while a call of libfabric fails, at each
// place in turn: PEs end well, or say what failed.
#include <shmem.h>
#include <stdlib.h>

#include "sim.h"

enum { PES = 3 };
static long words[PES], counter;

static void run(void)
{
    setenv("CAUSEWAY_ENDPOINT", sim_setting(0, 2) ? "rdm" : "msg", 1);
    if (sim_setting(1, 2))
        setenv("CAUSEWAY_MAX_CONNECTIONS", "1", 1);
    sim_begin();
    shmem_init();
    int me = shmem_my_pe();
    for (int pe = 0; pe < PES; pe++) {
        shmem_long_p(&words[me], 1, pe);
        shmem_long_atomic_inc(&counter, pe);
        shmem_quiet();
        long seen = shmem_long_g(&words[me], pe);
        SIM_CHECK(seen == 1, "PE %d has %ld", pe, seen);
    }
    shmem_barrier_all();
    for (int pe = 0; pe < PES; pe++)
        SIM_CHECK(words[pe] == 1, "of PE %d came %ld", pe, words[pe]);
    SIM_CHECK(counter == PES, "counted are %ld", counter);
    shmem_finalize();
}

const sim_scene_t sim_scene = {.name = "start_fails",
                               .npes = PES,
                               .nnodes = PES,
                               .run = run,
                               .most_ns = UINT64_C(300000000000),
                               .faults = SIM_MAY_FAIL_CALLS | SIM_MAY_FAIL_POLLS};
