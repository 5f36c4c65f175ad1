// SPDX-License-Identifier: BSD-3-Clause
//
// Programs of operations by seed (generate.h), of three PEs on one node.
#define MOST_THREADS 1
#include "../generate.h"

const sim_scene_t sim_scene = {
    .name = "random_node", .npes = 3, .nnodes = 1, .run = run_random, .timeless = SIM_UNDER_SC};
