// SPDX-License-Identifier: BSD-3-Clause
//
// image_pairs.h on two nodes, of two images and of one.
#include "../image_pairs.h"

const sim_scene_t sim_scene = {
    .name = "image_pairs_nodes", .npes = IMAGES, .nnodes = 2, .run = run};
