// SPDX-License-Identifier: BSD-3-Clause
//
// One of three coarray images is killed. The second one, which waits for an event of the third, may
// learn of it there, and form a team, while the first one synchronises with it: that one is not
// left to wait.
enum { IMAGES = 3 };
#include "../image_calls.h"
#include "../sim.h"

static void *event;

static bool is_whole(int stat)
{
    SIM_CHECK(stat == 0 || stat == FAILED_IMAGE, "stat is %d", stat);
    return stat == 0;
}

static bool wait_for_event(int me)
{
    int stat = 0;
    if (me == 3)
        _gfortran_caf_event_post(event, 0, 2, &stat, NULL, 0);
    else if (me == 2)
        _gfortran_caf_event_wait(event, 0, 1, &stat, NULL, 0);
    return is_whole(stat);
}

static bool pair(int me)
{
    int stat = 0, other = 3 - me;
    if (me < 3)
        _gfortran_caf_sync_images(1, &other, &stat, NULL, 0);
    return is_whole(stat);
}

static bool meet(void)
{
    int stat = -1;
    _gfortran_caf_sync_all(&stat, NULL, 0);
    return is_whole(stat);
}

static void run(void)
{
    _gfortran_caf_init(NULL, NULL);
    const int me = _gfortran_caf_this_image(0);
    array_t array = integer(NULL);
    _gfortran_caf_register(1, EVENT, &event, &array, NULL, NULL, 0);
    SIM_CHECK(_gfortran_caf_image_status(me, NULL) == 0, "this image is there");
    _gfortran_caf_sync_all(NULL, NULL, 0);
    sim_begin();
    if (sim_draw(3) == 0)
        usleep(sim_draw(2000));
    if (!wait_for_event(me) || !pair(me) || !pair(me) || !meet())
        meet_without(IMAGES - 1);
    sim_end();
    _gfortran_caf_finalize();
}

static const char *const env[] = {"CAUSEWAY_FAILED_IMAGES=continue", NULL};
const sim_scene_t sim_scene = {.name = "outlived_pairs",
                               .npes = IMAGES,
                               .nnodes = 1,
                               .run = run,
                               .env = env,
                               .outlives = 1,
                               .faults = SIM_MAY_KILL};
