// SPDX-License-Identifier: BSD-3-Clause
//
// Coarrays, one image of which is killed at any step, whether it computes, waits, or ends: the
// others go on, form a team without it, and all come to the end. A gate has one result on all, none
// passes one that a living image has not entered, and what an image did before a gate is seen
// behind it. With SETTING "end" the job ends instead, and no image learns of the death. For scenes
// of one node and of several.
#ifndef SIM_IMAGES_H
#define SIM_IMAGES_H

#include <string.h>

#include "image_calls.h"
#include "sim.h"

enum { ROUNDS = 2, GATES = 2 * ROUNDS + 1 };
typedef enum result { NOT_YET, WHOLE, FAILED } result_t;
typedef struct oracle {
    result_t result[IMAGES][GATES + 1];
} oracle_t;

static oracle_t *o;
static int me, gate;
static void *atom;  // integer(atomic_int_kind) :: atom[*]: the gate to which its image comes

// ---------------------------------------------------------------- gates

static int count(result_t result)
{
    int n = 0;
    for (int image = 0; image < IMAGES; image++)
        n += o->result[image][gate] == result;
    return n;
}

static int count_absent(void)
{
    int n = 0;
    for (int image = 1; image <= IMAGES; image++) {
        int64_t value = -1;
        _gfortran_caf_atomic_ref(atom, 0, image, &value, NULL, INTEGER, NBYTES);
        n += value < gate;
    }
    return n;
}

static void enter(void)
{
    int64_t value = ++gate;
    if (sim_draw(3) == 0)
        usleep(sim_draw(2000));
    SIM_CHECK(count(NOT_YET) == IMAGES, "image %d comes to gate %d, which others have left", me + 1,
              gate);
    _gfortran_caf_atomic_define(atom, 0, 0, &value, NULL, INTEGER, NBYTES);
}

static bool leave(int stat)
{
    const bool whole = stat == 0;
    SIM_CHECK(whole || stat == FAILED_IMAGE, "stat is %d", stat);
    SIM_CHECK(whole || strcmp(SETTING, "end") != 0, "the job goes on without a killed image");
    o->result[me][gate] = whole ? WHOLE : FAILED;
    SIM_CHECK(count(whole ? FAILED : WHOLE) == 0, "gate %d has two results", gate);
    SIM_CHECK(whole || count(FAILED) < IMAGES, "no image has failed in gate %d", gate);
    const int absent = whole ? count_absent() : 0;
    SIM_CHECK(absent == 0, "image %d passes gate %d, to which %d have not come", me + 1, gate,
              absent);
    return whole;
}

// ---------------------------------------------------------------- statements
// False: an image has failed.

static bool synchronise(void)
{
    int stat = -1;
    enter();
    _gfortran_caf_sync_all(&stat, NULL, 0);
    return leave(stat);
}

static bool allocate(void)
{
    int stat = -1;
    void *token = NULL;
    array_t array = integer(NULL);
    enter();
    _gfortran_caf_register(NBYTES, ALLOCATABLE, &token, &array, &stat, NULL, 0);
    if (!leave(stat))
        return false;
    enter();
    _gfortran_caf_deregister(&token, 0, &stat, NULL, 0);
    return leave(stat);
}

// Of these some images learn that one has failed, and others not.

/** Two images, while the others go ahead. */
static bool pair(void)
{
    int stat = 0, other = me == 0 ? 2 : 1;
    if (me < 2)
        _gfortran_caf_sync_images(1, &other, &stat, NULL, 0);
    SIM_CHECK(stat == 0 || stat == FAILED_IMAGE, "stat is %d", stat);
    return stat == 0;
}

static bool sum(void)
{
    int64_t value = 1;
    int stat = -1;
    array_t array = integer(&value);
    _gfortran_caf_co_sum(&array, 0, &stat, NULL, 0);
    SIM_CHECK(stat == FAILED_IMAGE || (stat == 0 && value == IMAGES), "stat %d, sum %d", stat,
              (int)value);
    return stat == 0;
}

static bool pass_all(void)
{
    static bool (*const statements[])(void) = {synchronise, allocate, pair, sum};
    uint64_t which = sim_seed() * UINT64_C(0x9e3779b97f4a7c15) >> 32;  // the same on all images
    for (int round = 0; round < ROUNDS; round++, which /= 4) {
        if (!statements[which % 4]())
            return false;
    }
    return synchronise();
}

static void run(void)
{
    array_t array = integer(NULL);
    o = sim_common(sizeof *o);
    _gfortran_caf_init(NULL, NULL);
    me = _gfortran_caf_this_image(0) - 1;
    _gfortran_caf_register(NBYTES, ALLOCATABLE, &atom, &array, NULL, NULL, 0);
    *(int64_t *)array.data = 0;
    if (strcmp(SETTING, "continue") != 0)  // that it is named lets the others go on
        SIM_CHECK(_gfortran_caf_image_status(me + 1, NULL) == 0, "this image is there");
    _gfortran_caf_sync_all(NULL, NULL, 0);
    sim_begin();
    if (!pass_all())
        meet_without(IMAGES - 1);
    sim_end();
    _gfortran_caf_finalize();
}

static const char *const env[] = {"CAUSEWAY_FAILED_IMAGES=" SETTING, NULL};

#endif
