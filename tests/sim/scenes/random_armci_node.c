// SPDX-License-Identifier: BSD-3-Clause
//
// Programs of ARMCI's operations by seed (armci_generate.h), of three processes on one node.
#define MOST_THREADS THREADS
#include "../armci_generate.h"

const sim_scene_t sim_scene = {
    .name = "random_armci_node", .npes = 3, .nnodes = 1, .run = run_random};
