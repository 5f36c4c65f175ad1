// SPDX-License-Identifier: BSD-3-Clause
//
// Collectives over two nodes of two PEs, of all kinds and sizes in any order, by all algorithms.
enum { PES = 4 };
#include "../algorithms.h"

const sim_scene_t sim_scene = {
    .name = "algorithms", .npes = PES, .nnodes = 2, .run = run_collectives, .most_steps = 64000000};
