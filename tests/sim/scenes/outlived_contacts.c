// SPDX-License-Identifier: BSD-3-Clause
//
// Coarray images reach another node first, one of which is killed at any step, also while that node
// accepts its connection. The others connect too, write what is there behind their synchronisation,
// and come to the end.
#include "../image_calls.h"

enum { IMAGES = 4 };
static void *words;  // in each image, one for each

static void put(int image, int at, int64_t value)
{
    array_t from = integer(&value), to = integer(NULL);
    _gfortran_caf_send(words, (size_t)at * NBYTES, image, &to, NULL, &from, NBYTES, NBYTES, false,
                       NULL, NULL);
}

static void run(void)
{
    int stat = -1;
    array_t array = integer(NULL);
    _gfortran_caf_init(NULL, NULL);
    const int me = _gfortran_caf_this_image(0);
    _gfortran_caf_register(IMAGES * NBYTES, ALLOCATABLE, &words, &array, NULL, NULL, 0);
    int64_t *mine = array.data;
    for (int i = 0; i < IMAGES; i++)
        mine[i] = 0;
    _gfortran_caf_sync_all(NULL, NULL, 0);
    sim_begin();
    for (int image = 1; image <= IMAGES; image++)
        put(image, me - 1, me);
    _gfortran_caf_sync_all(&stat, NULL, 0);
    SIM_CHECK(stat == 0 || stat == FAILED_IMAGE, "stat is %d", stat);
    for (int image = 1; image <= IMAGES; image++)
        SIM_CHECK(mine[image - 1] == image || _gfortran_caf_image_status(image, NULL) != 0,
                  "of image %d came %d", image, (int)mine[image - 1]);
    if (stat != 0)
        meet_without(IMAGES - 1);
    sim_end();
    _gfortran_caf_finalize();
}

static const char *const env[] = {"CAUSEWAY_FAILED_IMAGES=continue", NULL};
const sim_scene_t sim_scene = {.name = "outlived_contacts",
                               .npes = IMAGES,
                               .nnodes = 2,
                               .run = run,
                               .env = env,
                               .outlives = 1,
                               .faults = SIM_MAY_KILL};
