// SPDX-License-Identifier: BSD-3-Clause
//
// Between nodes: puts with signals, waits that sleep, gets behind quiets, a flag behind a fence,
// by the PEs of two nodes at once.
#include <shmem.h>

#include "sim.h"

enum { LONGS = 40, ROUNDS = 2 };
static long data[LONGS], back[LONGS], flag;
static uint64_t signal_word;

static void run(void)
{
    long values[LONGS];
    shmem_init();
    int me = shmem_my_pe(), peer = me ^ 1;
    shmem_barrier_all();
    sim_begin();
    for (long round = 1; round <= ROUNDS; round++) {
        for (int i = 0; i < LONGS; i++)
            values[i] = 1000 * round + i;
        size_t n = sim_draw(2) ? LONGS : 1;
        shmem_long_put_signal(data, values, n, &signal_word, 1, SHMEM_SIGNAL_ADD, peer);
        shmem_signal_wait_until(&signal_word, SHMEM_CMP_GE, (uint64_t)round);
        SIM_CHECK(data[0] == 1000 * round, "data is %ld behind signal %ld", data[0], round);
        shmem_long_put_nbi(back, values, LONGS, peer);
        shmem_fence();
        shmem_long_p(&flag, round, peer);
        shmem_long_wait_until(&flag, SHMEM_CMP_GE, round);
        SIM_CHECK(back[LONGS - 1] >= 1000 * round, "the last is %ld behind flag %ld",
                  back[LONGS - 1], round);
        shmem_quiet();
        shmem_long_get(values, back, LONGS, peer);
        SIM_CHECK(values[LONGS - 1] == 1000 * round + LONGS - 1, "a get gives %ld",
                  values[LONGS - 1]);
        shmem_barrier_all();
    }
    sim_end();
    shmem_finalize();
}

const sim_scene_t sim_scene = {.name = "put_signal",
                               .npes = 2,
                               .nnodes = 2,
                               .run = run,
                               .timeless = SIM_UNDER_SC | SIM_UNDER_TSO};
