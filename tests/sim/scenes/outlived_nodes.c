// SPDX-License-Identifier: BSD-3-Clause
//
// One of four coarray images on two nodes is killed (images.h). Where it hosted the server of its
// node, the launcher ends the others.
enum { IMAGES = 4 };
#define SETTING "continue"
#include "../images.h"

const sim_scene_t sim_scene = {.name = "outlived_nodes",
                               .npes = IMAGES,
                               .nnodes = 2,
                               .run = run,
                               .env = env,
                               .outlives = 1,
                               .faults = SIM_MAY_KILL};
