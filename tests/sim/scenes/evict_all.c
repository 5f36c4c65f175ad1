// SPDX-License-Identifier: BSD-3-Clause
//
// Three nodes whose PEs have one connection each at a time, and use two: puts, signals, atomics,
// gets and transfers in the background, each of which may evict what the one before has opened.
#include <shmem.h>
#include <stdlib.h>

#include "sim.h"

enum { PES = 3, ROUNDS = 2, LONGS = 40 };
static long data[PES][LONGS], word[PES], counter;
static uint64_t signals;

static void use(int pe, long round, int me)
{
    long values[LONGS], back[LONGS], seen;
    for (int i = 0; i < LONGS; i++)
        values[i] = 1000 * round + me;
    switch (sim_draw(4)) {
    case 0:
        shmem_long_put_nbi(data[me], values, LONGS, pe);
        shmem_quiet();
        shmem_long_get(back, data[me], LONGS, pe);
        SIM_CHECK(back[LONGS - 1] == values[0], "PE %d has %ld in the end of its data of round %ld",
                  pe, back[LONGS - 1], round);
        break;
    case 1:
        shmem_long_p(&word[me], round, pe);
        shmem_quiet();
        seen = shmem_long_g(&word[me], pe);
        SIM_CHECK(seen == round, "PE %d has %ld behind the quiet of round %ld", pe, seen, round);
        break;
    case 2:
        seen = shmem_long_atomic_fetch_add(&data[me][0], 0, pe);
        SIM_CHECK(seen >= 0, "PE %d fetches %ld", me, seen);
        break;
    default:
        break;
    }
    shmem_long_atomic_inc(&counter, pe);
    shmem_long_put_signal(data[me], values, sim_draw(2) ? 1 : LONGS, &signals, 1, SHMEM_SIGNAL_ADD,
                          pe);
}

static void run(void)
{
    setenv("CAUSEWAY_ENDPOINT", sim_setting(0, 2) ? "rdm" : "msg", 1);
    shmem_init();
    int me = shmem_my_pe();
    shmem_barrier_all();
    sim_begin();
    for (long round = 1; round <= ROUNDS; round++) {
        for (int k = 1; k < PES; k++)
            use((me + k) % PES, round, me);
        shmem_signal_wait_until(&signals, SHMEM_CMP_GE, (uint64_t)(PES - 1) * (uint64_t)round);
        for (int pe = 0; pe < PES; pe++)
            SIM_CHECK(pe == me || data[pe][0] == 1000 * round + pe,
                      "PE %d has %ld of PE %d behind signal %ld", me, data[pe][0], pe, round);
        shmem_barrier_all();
    }
    sim_end();
    SIM_CHECK(counter == ROUNDS * (PES - 1), "counted are %ld", counter);
    shmem_finalize();
}

static const char *const env[] = {"CAUSEWAY_MAX_CONNECTIONS=1", NULL};
const sim_scene_t sim_scene = {.name = "evict_all",
                               .npes = PES,
                               .nnodes = PES,
                               .run = run,
                               .env = env,
                               .timeless = SIM_UNDER_SC | SIM_UNDER_TSO};
