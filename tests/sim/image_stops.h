// SPDX-License-Identifier: BSD-3-Clause
//
// The last image stops behind some synchronisations or sums, in a program that names nothing for
// images that are gone: with stat= the others learn of it in the next one, and in none before. Two
// of them meet between: one that gave up a statement to which all came would wait there for the
// other's next one. A scene says how many images.
#ifndef SIM_IMAGE_STOPS_H
#define SIM_IMAGE_STOPS_H

#include "image_calls.h"
#include "sim.h"

enum { MOST_SYNCS = 3 };
static const char *const env[] = {"CAUSEWAY_WAIT=asleep", NULL};  // looks often in few steps

/** SYNC ALL or CO_SUM with stat=. */
static int synchronise(void)
{
    int stat = -1;
    int64_t value = _gfortran_caf_this_image(0);
    array_t array = integer(&value);
    if (sim_setting(1, 2) == 0) {
        _gfortran_caf_sync_all(&stat, NULL, 0);
        return stat;
    }
    _gfortran_caf_co_sum(&array, 0, &stat, NULL, 0);
    SIM_CHECK(stat != 0 || value == IMAGES * (IMAGES + 1) / 2, "the sum is %ld", (long)value);
    return stat;
}

static void run(void)
{
    _gfortran_caf_init(NULL, NULL);
    const int me = _gfortran_caf_this_image(0), syncs = (int)sim_setting(0, MOST_SYNCS + 1);
    _gfortran_caf_sync_all(NULL, NULL, 0);
    sim_begin();
    for (int i = 1; i <= syncs; i++) {
        const int stat = synchronise();
        SIM_CHECK(stat == 0, "image %d: sync %d of %d gives %d", me, i, syncs, stat);
    }
    int other = me == 1 ? 2 : 1;
    if (me <= 2)
        _gfortran_caf_sync_images(1, &other, NULL, NULL, 0);
    for (int i = 0; i < 2 && me < IMAGES; i++) {
        const int stat = synchronise();
        SIM_CHECK(stat == STOPPED_IMAGE, "image %d: behind the stop stat is %d", me, stat);
    }
    if (me < IMAGES)
        sim_end();
    _gfortran_caf_finalize();
}

#endif
