// SPDX-License-Identifier: BSD-3-Clause
//
// A PE that stands still at any step, for a moment, up to a second, or for ever: the others go on
// or wait for it, and what they have read is right; or one says what it waits for.
#include <shmem.h>
#include <stdlib.h>

#include "sim.h"

enum { PES = 3, ROUNDS = 2 };
static long words[PES], counter;
static uint64_t signals[PES];

static void run(void)
{
    setenv("CAUSEWAY_ENDPOINT", sim_setting(0, 2) ? "rdm" : "msg", 1);
    if (sim_setting(1, 2))
        setenv("CAUSEWAY_MAX_CONNECTIONS", "1", 1);
    shmem_init();
    int me = shmem_my_pe();
    shmem_barrier_all();
    sim_begin();
    for (long round = 1; round <= ROUNDS; round++) {
        int next = (me + 1) % PES, last = (me + PES - 1) % PES;
        for (int pe = 0; pe < PES; pe++) {
            shmem_long_p(&words[me], round, pe);
            shmem_fence();
            shmem_long_atomic_inc(&counter, pe);
        }
        shmem_quiet();
        long seen = shmem_long_g(&words[me], next);
        SIM_CHECK(seen == round, "PE %d has %ld in round %ld, says PE %d", next, seen, round, me);
        shmem_uint64_put_signal(&signals[me], &(uint64_t){0}, 0, &signals[me], (uint64_t)round,
                                SHMEM_SIGNAL_SET, next);
        shmem_signal_wait_until(&signals[last], SHMEM_CMP_GE, (uint64_t)round);
        SIM_CHECK(words[last] >= round, "behind the signal of PE %d: %ld", last, words[last]);
        shmem_barrier_all();
        SIM_CHECK(counter == round * PES, "counted are %ld in round %ld", counter, round);
        shmem_barrier_all();
    }
    sim_end();
    shmem_finalize();
}

// Others poll while one stands still, up to a second: some 4 million steps each.
const sim_scene_t sim_scene = {.name = "stopped",
                               .npes = PES,
                               .nnodes = 2,
                               .run = run,
                               .most_ns = UINT64_C(1000000000000),
                               .most_steps = 64000000,
                               .faults = SIM_MAY_STOP};
