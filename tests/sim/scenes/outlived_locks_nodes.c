// SPDX-License-Identifier: BSD-3-Clause
//
// One of four coarray images on two nodes is killed amid locks and events (image_locks.h). Where it
// hosted the server of its node, the launcher ends the others.
enum { IMAGES = 4 };
#include "../image_locks.h"

const sim_scene_t sim_scene = {.name = "outlived_locks_nodes",
                               .npes = IMAGES,
                               .nnodes = 2,
                               .run = run,
                               .env = env,
                               .outlives = 1,
                               .faults = SIM_MAY_KILL};
