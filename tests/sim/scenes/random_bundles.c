// SPDX-License-Identifier: BSD-3-Clause
//
// Programs of operations by seed (generate.h), of two PEs on two nodes, in bundles.
#define MOST_THREADS THREADS
#include "../generate.h"

static const char *const env[] = {"CAUSEWAY_AGGREGATE=on", NULL};
const sim_scene_t sim_scene = {
    .name = "random_bundles", .npes = 2, .nnodes = 2, .run = run_random, .env = env};
