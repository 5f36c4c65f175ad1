// SPDX-License-Identifier: BSD-3-Clause
//
// Programs of operations by seed (generate.h), of three PEs on two nodes.
#define MOST_THREADS 1
#include "../generate.h"

const sim_scene_t sim_scene = {.name = "random_mixed", .npes = 3, .nnodes = 2, .run = run_random};
