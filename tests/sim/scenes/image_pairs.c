// SPDX-License-Identifier: BSD-3-Clause
//
// image_pairs.h on one node.
#include "../image_pairs.h"

const sim_scene_t sim_scene = {.name = "image_pairs", .npes = IMAGES, .nnodes = 1, .run = run};
