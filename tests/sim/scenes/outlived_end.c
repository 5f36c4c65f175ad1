// SPDX-License-Identifier: BSD-3-Clause
//
// One of three coarray images of a node is killed, and the job ends, as was asked (images.h).
enum { IMAGES = 3 };
#define SETTING "end"
#include "../images.h"

const sim_scene_t sim_scene = {.name = "outlived_end",
                               .npes = IMAGES,
                               .nnodes = 1,
                               .run = run,
                               .env = env,
                               .outlives = 1,
                               .faults = SIM_MAY_KILL};
