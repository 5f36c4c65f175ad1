// SPDX-License-Identifier: BSD-3-Clause
//
// Locks, critical constructs and events of coarray images, one of which is killed at any step, also
// while it has a lock or is about to post. No two living images are in a section, what an image
// wrote there the next one reads, a lock of one that was killed is free, and each image that waits
// for an event gets it, or learns that the image that should have posted it was killed. For scenes
// of one node and of several.
#ifndef SIM_IMAGE_LOCKS_H
#define SIM_IMAGE_LOCKS_H

#include "image_calls.h"
#include "sim.h"

enum { ROUNDS = 2, SECTIONS = 2, COUNTER = IMAGES - 1 };  // not where the locks are
enum { LOCK_OF_IMAGE, CRITICAL_CONSTRUCT };               // sections: the first names image 1
typedef struct oracle {
    bool inside[SECTIONS][IMAGES];
    bool posted[IMAGES][ROUNDS];  // the call has returned
    int64_t count[SECTIONS];      // sections that have ended
} oracle_t;

static oracle_t *o;
static int me;                          // from 0
static void *locks[SECTIONS], *events;  // lock, and that of a critical construct, of image 1
static void *counts, *words;            // of each section, in image COUNTER; of each round
static int64_t *mine;                   // words of this image
static bool known[IMAGES];              // that they are dead: event wait tells it no more

static bool is_dead(int image)
{
    known[image] = known[image] || _gfortran_caf_image_status(image + 1, NULL) == FAILED_IMAGE;
    return known[image];
}

static bool is_any_dead(void)
{
    bool any = false;
    for (int image = 0; image < IMAGES; image++)
        any = any || is_dead(image);
    return any;
}

static void put(void *token, int at, int image, int64_t value)
{
    array_t from = integer(&value), to = integer(NULL);
    _gfortran_caf_send(token, (size_t)at * NBYTES, image + 1, &to, NULL, &from, NBYTES, NBYTES,
                       false, NULL, NULL);
}

static int64_t get(void *token, int at, int image)
{
    int64_t value = -1;
    array_t to = integer(&value), from = integer(NULL);
    _gfortran_caf_get(token, (size_t)at * NBYTES, image + 1, &from, NULL, &to, NBYTES, NBYTES,
                      false, NULL);
    return value;
}

static void loiter(void)
{
    if (sim_draw(3) == 0)
        usleep(sim_draw(2000));
}

static void pass_section(int which)
{
    int stat = -1;
    _gfortran_caf_lock(locks[which], 0, 1, NULL, &stat, NULL, 0);
    if (stat == FAILED_IMAGE && which == LOCK_OF_IMAGE && is_dead(0))
        return;
    SIM_CHECK(stat == 0, "lock: stat is %d", stat);
    for (int image = 0; image < IMAGES; image++)
        SIM_CHECK(!o->inside[which][image] || is_dead(image), "images %d and %d are in one section",
                  me + 1, image + 1);
    o->inside[which][me] = true;
    const int64_t count = get(counts, which, COUNTER);
    // what an image was writing when it was killed may come, or not
    SIM_CHECK(count == o->count[which] || is_any_dead(), "%d sections have ended, not %d",
              (int)o->count[which], (int)count);
    loiter();
    put(counts, which, COUNTER, count + 1);
    o->count[which] = count + 1;
    o->inside[which][me] = false;
    _gfortran_caf_unlock(locks[which], 0, 1, &stat, NULL, 0);
    const bool names_dead = stat == FAILED_IMAGE && which == LOCK_OF_IMAGE && is_dead(0);
    SIM_CHECK(stat == 0 || names_dead, "unlock: stat is %d", stat);
}

static void pass_events(int round)
{
    const int next = (me + 1) % IMAGES, before = (me + IMAGES - 1) % IMAGES;
    int stat = -1;
    put(words, round, next, 10 * round + me);
    _gfortran_caf_event_post(events, 0, next + 1, &stat, NULL, 0);
    o->posted[me][round] = true;
    if (known[before])
        return;
    do
        _gfortran_caf_event_wait(events, 0, 1, &stat, NULL, 0);
    while (stat == FAILED_IMAGE && !is_dead(before));
    SIM_CHECK(stat == 0 || stat == FAILED_IMAGE, "event wait: stat is %d", stat);
    if (stat == 0)
        SIM_CHECK(mine[round] == 10 * round + before, "image %d has %d from image %d", me + 1,
                  (int)mine[round], before + 1);
    else  // between nodes a post may be lost with the image
        SIM_CHECK(sim_scene.nnodes > 1 || !o->posted[before][round],
                  "image %d lacks the post of image %d", me + 1, before + 1);
}

static void run(void)
{
    array_t array = integer(NULL), own = integer(NULL);
    o = sim_common(sizeof *o);
    _gfortran_caf_register(1, CRITICAL, &locks[CRITICAL_CONSTRUCT], &array, NULL, NULL, 0);
    _gfortran_caf_init(NULL, NULL);
    me = _gfortran_caf_this_image(0) - 1;
    _gfortran_caf_register(1, LOCK, &locks[LOCK_OF_IMAGE], &array, NULL, NULL, 0);
    _gfortran_caf_register(1, EVENT, &events, &array, NULL, NULL, 0);
    _gfortran_caf_register(SECTIONS * NBYTES, ALLOCATABLE, &counts, &array, NULL, NULL, 0);
    for (int i = 0; i < SECTIONS; i++)
        ((int64_t *)array.data)[i] = 0;
    _gfortran_caf_register(ROUNDS * NBYTES, ALLOCATABLE, &words, &own, NULL, NULL, 0);
    mine = own.data;
    _gfortran_caf_sync_all(NULL, NULL, 0);
    sim_begin();
    for (int round = 0; round < ROUNDS; round++) {
        loiter();
        pass_section((int)sim_draw(SECTIONS));
        pass_events(round);
    }
    sim_end();
    _gfortran_caf_finalize();
}

static const char *const env[] = {"CAUSEWAY_FAILED_IMAGES=continue", NULL};

#endif
