// SPDX-License-Identifier: BSD-3-Clause
//
// Collectives on one node, of all kinds and sizes in any order, by all algorithms.
enum { PES = 3 };
#include "../algorithms.h"

const sim_scene_t sim_scene = {.name = "algorithms_node",
                               .npes = PES,
                               .nnodes = 1,
                               .run = run_collectives,
                               .most_steps = 64000000};
