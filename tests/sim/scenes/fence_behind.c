// SPDX-License-Identifier: BSD-3-Clause
//
// An atomic, which travels as a request, a fence, and a put, which does not: the put may not be
// seen before the atomic.
#include <shmem.h>

#include "sim.h"

enum { ROUNDS = 4 };
static long a, b;

static void run(void)
{
    shmem_init();
    int me = shmem_my_pe();
    shmem_barrier_all();
    sim_begin();
    for (long v = 1; me == 0 && v <= ROUNDS; v++) {
        shmem_long_atomic_set(&b, v, 1);
        shmem_fence();
        shmem_long_p(&a, v, 1);
    }
    for (long seen_a = 0; me == 1 && seen_a < ROUNDS;) {
        seen_a = __atomic_load_n(&a, __ATOMIC_ACQUIRE);
        long seen_b = __atomic_load_n(&b, __ATOMIC_ACQUIRE);
        SIM_CHECK(seen_b >= seen_a, "a is %ld, and b, set before it, %ld", seen_a, seen_b);
        sim_yield();
    }
    shmem_barrier_all();
    sim_end();
    shmem_finalize();
}

const sim_scene_t sim_scene = {.name = "fence_behind",
                               .npes = 2,
                               .nnodes = 2,
                               .run = run,
                               .timeless = SIM_UNDER_SC | SIM_UNDER_TSO};
