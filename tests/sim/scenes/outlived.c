// SPDX-License-Identifier: BSD-3-Clause
//
// One of three coarray images of a node is killed, and the others go on (images.h).
enum { IMAGES = 3 };
#define SETTING "continue"
#include "../images.h"

const sim_scene_t sim_scene = {.name = "outlived",
                               .npes = IMAGES,
                               .nnodes = 1,
                               .run = run,
                               .env = env,
                               .outlives = 1,
                               .faults = SIM_MAY_KILL};
