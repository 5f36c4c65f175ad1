// SPDX-License-Identifier: BSD-3-Clause
//
// Targets of images, one of which is killed at any step: what others read of it is what it had, or
// stat= names the failed image, and they go on without it.
#include <stdlib.h>

#include "../image_references.h"
#include "sim.h"

enum { IMAGES = 3, STEPS = 3, NELEMS = 4 };

static void *boxes;  // type(box), allocatable :: boxes[:]

static void access_to(int image)
{
    int64_t seen[NELEMS] = {0}, value[NELEMS];
    int stat = -1;
    vector_t to = vector(seen, NELEMS), from = vector(value, NELEMS);
    part_t all = {.image = image, .step = 1, .n = NELEMS};
    name(&all);
    _gfortran_caf_get_by_ref(boxes, image, &to, &all.component, NBYTES, NBYTES, false, false, &stat,
                             INTEGER);
    SIM_CHECK(stat == 0 || stat == FAILED_IMAGE, "stat is %d", stat);
    for (int i = 0; i < NELEMS; i++) {
        SIM_CHECK(stat != 0 || seen[i] == image, "element %d of image %d is %ld", i, image,
                  (long)seen[i]);
        value[i] = image;
    }
    _gfortran_caf_send_by_ref(boxes, image, &from, &all.component, NBYTES, NBYTES, false, false,
                              &stat, INTEGER);
    SIM_CHECK(stat == 0 || stat == FAILED_IMAGE, "stat is %d", stat);
}

static void run(void)
{
    vector_t none = {.of = {.elem_nbytes = sizeof(box_t), .type = DERIVED}};
    int64_t *target = calloc(NELEMS, sizeof *target);
    int stat = -1;
    _gfortran_caf_init(NULL, NULL);
    const int me = _gfortran_caf_this_image(0);
    _gfortran_caf_register(sizeof(box_t), ALLOCATABLE, &boxes, &none.of, NULL, NULL, 0);
    for (int i = 0; i < NELEMS; i++)
        target[i] = me;
    ((box_t *)none.of.data)->p = vector(target, NELEMS);
    _gfortran_caf_sync_all(NULL, NULL, 0);
    sim_begin();
    for (int step = 0; step < STEPS; step++)
        access_to((me + step % 2) % IMAGES + 1);
    _gfortran_caf_sync_all(&stat, NULL, 0);
    SIM_CHECK(stat == 0 || stat == FAILED_IMAGE, "stat is %d", stat);
    if (stat != 0)
        meet_without(IMAGES - 1);
    sim_end();
    _gfortran_caf_finalize();
}

static const char *const env[] = {"CAUSEWAY_FAILED_IMAGES=continue", NULL};
const sim_scene_t sim_scene = {.name = "outlived_targets",
                               .npes = IMAGES,
                               .nnodes = 2,
                               .run = run,
                               .env = env,
                               .outlives = 1,
                               .faults = SIM_MAY_KILL};
