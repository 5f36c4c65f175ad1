// SPDX-License-Identifier: BSD-3-Clause
//
// The first process of a node has notified a barrier of GASNet, and computes for long: the barrier
// ends for the others without it, by a process that has no connection yet.
#define GASNET_SEQ 1
#include <unistd.h>

#include "gasnet_scene.h"
#include "sim.h"

enum { AWAY_US = 2000000, PROCESSES = 4 };

static void run(void)
{
    scene_attach(NULL, 0, 0);
    sim_begin();
    uint64_t start = sim_now_ns();
    gasnet_barrier_notify(1, 0);
    if (gasnet_mynode() == 0)
        usleep(AWAY_US);
    gasnet_barrier_wait(1, 0);
    SIM_CHECK(gasnet_mynode() == 0 || sim_now_ns() - start < AWAY_US * UINT64_C(1000),
              "process %u waits for one that computes", gasnet_mynode());
    scene_barrier();
    sim_end();
    gasnet_exit(0);
}

const sim_scene_t sim_scene = {
    .name = "barrier_absent", .npes = PROCESSES, .nnodes = 2, .run = run, .most_steps = 64000000};
