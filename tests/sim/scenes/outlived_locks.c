// SPDX-License-Identifier: BSD-3-Clause
//
// One of three coarray images of a node is killed amid locks and events (image_locks.h).
enum { IMAGES = 3 };
#include "../image_locks.h"

const sim_scene_t sim_scene = {.name = "outlived_locks",
                               .npes = IMAGES,
                               .nnodes = 1,
                               .run = run,
                               .env = env,
                               .outlives = 1,
                               .faults = SIM_MAY_KILL};
