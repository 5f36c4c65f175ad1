// SPDX-License-Identifier: BSD-3-Clause
//
// Two PEs that host their nodes' servers put to each other in turns, by a link of the servers, and
// now and then do something else, which takes the connection off the link: what was put by the link
// comes before it.
#include <shmem.h>
#include <stdlib.h>

#include "sim.h"

enum { WARM = 45, ROUNDS = 8 };
static long turn, data, back[4];
static uint64_t counter;

/** What comes between two turns. */
static void disturb(long v, int peer)
{
    long seen;
    switch (sim_draw(6)) {
    case 0:
        shmem_quiet();
        seen = shmem_long_g(&data, peer);
        SIM_CHECK(seen == v, "the peer has %ld behind a quiet, not %ld", seen, v);
        break;
    case 1:
        seen = shmem_long_atomic_fetch_add(&data, 0, peer);
        break;
    case 2:
        shmem_uint64_atomic_inc(&counter, peer);
        break;
    case 3:
        shmem_long_get_nbi(back, back, 4, peer);
        shmem_quiet();
        break;
    default:
        break;
    }
}

static void run(void)
{
    setenv("CAUSEWAY_ENDPOINT", sim_setting(0, 2) ? "rdm" : "msg", 1);
    shmem_init();
    int me = shmem_my_pe(), peer = !me;
    shmem_barrier_all();
    for (long v = 1; v <= WARM + ROUNDS; v++) {
        if (v == WARM && me == 0)
            sim_begin();
        if (me == 1)
            shmem_long_wait_until(&turn, SHMEM_CMP_GE, v);
        SIM_CHECK(me == 0 || data >= v, "data is %ld in turn %ld", data, v);
        shmem_long_p(&data, v, peer);
        if (v > WARM)
            disturb(v, peer);
        shmem_fence();
        shmem_long_p(&turn, v, peer);
        if (me == 0)
            shmem_long_wait_until(&turn, SHMEM_CMP_GE, v);
        SIM_CHECK(me == 1 || data >= v, "data is %ld behind turn %ld", data, v);
    }
    shmem_barrier_all();
    sim_end();
    shmem_finalize();
}

static const char *const env[] = {"SIM_PROVIDER=tcp", "CAUSEWAY_PROVIDER=tcp", NULL};
const sim_scene_t sim_scene = {.name = "links",
                               .npes = 2,
                               .nnodes = 2,
                               .run = run,
                               .env = env,
                               // a server that the network keeps from sleeping polls for 60 ms of
                               // virtual time: seed 2018216759000073 takes 4.4 million steps
                               .most_steps = 10000000};
