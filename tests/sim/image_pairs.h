// SPDX-License-Identifier: BSD-3-Clause
//
// Images that synchronise in pairs, by SYNC IMAGES without stat=, by events and by sums, in an
// order that the seed decides: what one has put before, the other has behind it. For scenes of one
// node and of several.
#ifndef SIM_IMAGE_PAIRS_H
#define SIM_IMAGE_PAIRS_H

#include "image_calls.h"
#include "sim.h"

enum { IMAGES = 3, ROUNDS = 4, PAIRS = 3, KINDS = 4 };
enum { SYNC_IMAGES, EVENTS, RELAY, SUM };

static int me;
static void *slots_token, *events_token;
static int64_t *slots;  // [parity of the round][of that image]

static int64_t value_of(int round, int image)
{
    return 100 * (round + 1) + image;
}

/** A put to the image that the pair or the event is with. */
static void put(int round, int image)
{
    int64_t value = value_of(round, me);
    array_t to = integer(NULL), from = integer(&value);
    const size_t at = ((size_t)(round & 1) * IMAGES + (size_t)me - 1) * NBYTES;
    _gfortran_caf_send(slots_token, at, image, &to, NULL, &from, NBYTES, NBYTES, false, NULL, NULL);
}

/** The image is one round ahead at most, and puts into the other half then. A plain load would read
 *  the newest store. */
static void check(int round, int image, const char *behind)
{
    const int64_t value =
        __atomic_load_n(&slots[(round & 1) * IMAGES + image - 1], __ATOMIC_RELAXED);
    SIM_CHECK(value == value_of(round, image), "round %d: image %d has %ld of image %d behind %s",
              round, me, (long)value, image, behind);
}

static void pair(int round, int a, int b)
{
    int other = me == a ? b : a;
    if (me != a && me != b)
        return;
    put(round, other);
    _gfortran_caf_sync_images(1, &other, NULL, NULL, 0);
    check(round, other, "sync images");
}

/** All pairs, in one order on all images, which no two can wait for each other in. */
static void pairs(int round)
{
    static const int of[PAIRS][2] = {{1, 2}, {2, 3}, {1, 3}};
    const uint32_t first = sim_setting(16 + (uint32_t)round, PAIRS);
    for (uint32_t i = 0; i < PAIRS; i++)
        pair(round, of[(first + i) % PAIRS][0], of[(first + i) % PAIRS][1]);
}

/** Posts round the ring. An image could post twice before a wait: what it posts is counted. */
static void ring(int round)
{
    const int next = me % IMAGES + 1, before = (me + IMAGES - 2) % IMAGES + 1;
    put(round, next);
    _gfortran_caf_event_post(events_token, 0, next, NULL, NULL, 0);
    _gfortran_caf_event_wait(events_token, 0, 1, NULL, NULL, 0);
    check(round, before, "an event");
}

/** What image 1 has put to image 3 that one has behind image 2. */
static void relay(int round)
{
    int one = 1, two = 2, three = 3;
    if (me == one)
        put(round, three);
    if (me == two)
        _gfortran_caf_sync_images(1, &one, NULL, NULL, 0);
    _gfortran_caf_sync_images(1, me == two ? &three : &two, NULL, NULL, 0);
    if (me == three)
        check(round, one, "another image");
}

static void sum(int round)
{
    int64_t value = value_of(round, me);
    array_t array = integer(&value);
    _gfortran_caf_co_sum(&array, 0, NULL, NULL, 0);
    SIM_CHECK(value == IMAGES * value_of(round, 0) + IMAGES * (IMAGES + 1) / 2,
              "round %d: the sum is %ld", round, (long)value);
}

static void run(void)
{
    array_t array = integer(NULL), event = integer(NULL);
    _gfortran_caf_init(NULL, NULL);
    me = _gfortran_caf_this_image(0);
    _gfortran_caf_register(2 * IMAGES * NBYTES, ALLOCATABLE, &slots_token, &array, NULL, NULL, 0);
    _gfortran_caf_register(1, EVENT, &events_token, &event, NULL, NULL, 0);
    slots = array.data;
    for (int i = 0; i < 2 * IMAGES; i++)
        slots[i] = 0;
    _gfortran_caf_sync_all(NULL, NULL, 0);
    sim_begin();
    for (int round = 0; round < ROUNDS; round++) {
        const uint32_t kind = sim_setting((uint32_t)round, KINDS);
        if (kind == SUM)
            sum(round);
        else if (kind == EVENTS)
            ring(round);
        else if (kind == RELAY)
            relay(round);
        else
            pairs(round);
        if (kind == EVENTS || kind == RELAY)  // these order in one direction only
            _gfortran_caf_sync_all(NULL, NULL, 0);
    }
    sim_end();
    _gfortran_caf_finalize();
}

#endif
