// SPDX-License-Identifier: BSD-3-Clause
//
// The same (image_stops.h) where the image is on another node.
enum { IMAGES = 3 };
#include "../image_stops.h"

const sim_scene_t sim_scene = {
    .name = "image_stops_nodes", .npes = IMAGES, .nnodes = 2, .run = run, .env = env};
