// SPDX-License-Identifier: BSD-3-Clause
//
// An image stops in a program that goes on without it, in checking mode. Of the others one learns
// of it by SYNC IMAGES and forms a team, while the other synchronises all or makes a sum, which is
// no mistake of theirs: they meet in the team.
#include "../image_calls.h"
#include "../sim.h"

enum { IMAGES = 3, MOST_SYNCS = 2 };
static const char *const env[] = {"CAUSEWAY_FAILED_IMAGES=continue", "CAUSEWAY_CHECK=1", NULL};

/** SYNC ALL or CO_SUM with stat=. */
static int synchronise(int setting)
{
    int stat = -1;
    int64_t value = 1;
    array_t array = integer(&value);
    if (sim_setting(setting, 2) == 0)
        _gfortran_caf_sync_all(&stat, NULL, 0);
    else
        _gfortran_caf_co_sum(&array, 0, &stat, NULL, 0);
    return stat;
}

static void run(void)
{
    _gfortran_caf_init(NULL, NULL);
    const int me = _gfortran_caf_this_image(0), syncs = (int)sim_setting(0, MOST_SYNCS + 1);
    int last = IMAGES, stat = -1;
    _gfortran_caf_sync_all(NULL, NULL, 0);
    sim_begin();
    for (int i = 0; i < syncs; i++) {
        stat = synchronise(1);
        SIM_CHECK(stat == 0, "image %d: statement %d of %d gives %d", me, i + 1, syncs, stat);
    }
    if (me == 1)
        _gfortran_caf_sync_images(1, &last, &stat, NULL, 0);
    else if (me == 2)
        stat = synchronise(2);
    SIM_CHECK(me == last || stat == STOPPED_IMAGE, "image %d: behind the stop stat is %d", me,
              stat);
    if (me != last) {
        meet_without(IMAGES - 1);
        sim_end();
    }
    _gfortran_caf_finalize();
}

const sim_scene_t sim_scene = {
    .name = "image_leaves", .npes = IMAGES, .nnodes = 1, .run = run, .env = env};
