// SPDX-License-Identifier: BSD-3-Clause
//
// An image of a node stops, and the others learn of it by stat= (image_stops.h).
enum { IMAGES = 3 };
#include "../image_stops.h"

const sim_scene_t sim_scene = {
    .name = "image_stops", .npes = IMAGES, .nnodes = 1, .run = run, .env = env};
