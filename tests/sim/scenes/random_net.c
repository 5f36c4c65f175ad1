// SPDX-License-Identifier: BSD-3-Clause
//
// Programs of operations by seed (generate.h), of two PEs, each on a node of its own.
#define MOST_THREADS THREADS
#include "../generate.h"

const sim_scene_t sim_scene = {.name = "random_net", .npes = 2, .nnodes = 2, .run = run_random};
