// SPDX-License-Identifier: BSD-3-Clause
//
// Assignments of one image to another, of another node, take effect in their order: what is put to
// a place twice stays as the second one, whether other places, a SYNC MEMORY or an assignment from
// that image came between; and what is read there is what was put last. By networks that promise
// less than all order, too.
#include <stdlib.h>

#include "../image_calls.h"
#include "sim.h"

enum { IMAGES = 2, STEPS = 12, PLACES = 4 };

static void *token;
static int64_t last[PLACES];

static void put(int place, int64_t value)
{
    array_t to = integer(NULL), from = integer(&value);
    _gfortran_caf_send(token, (size_t)place * NBYTES, 2, &to, NULL, &from, NBYTES, NBYTES, false,
                       NULL, NULL);
    last[place] = value;
}

static void get(int place)
{
    int64_t value = -1;
    array_t to = integer(&value), from = integer(NULL);
    _gfortran_caf_get(token, (size_t)place * NBYTES, 2, &from, NULL, &to, NBYTES, NBYTES, false,
                      NULL);
    SIM_CHECK(value == last[place], "a get from place %d gives %ld, and %ld was put last", place,
              (long)value, (long)last[place]);
}

static void assign(void)
{
    for (int64_t step = 1; step <= STEPS; step++) {
        const int place = (int)sim_draw(PLACES);
        const uint32_t what = sim_draw(8);
        if (what == 0)
            _gfortran_caf_sync_memory(NULL, NULL, 0);
        else if (what <= 2)
            get(place);
        else
            put(place, step);
    }
}

static void run(void)
{
    static const char *const orders[] = {"sas,raw,waw", "raw,waw", "sas", "none"};
    array_t array = integer(NULL);
    setenv("SIM_ORDER", orders[sim_setting(0, 4)], 1);
    setenv("CAUSEWAY_ENDPOINT", sim_setting(1, 2) ? "rdm" : "msg", 1);
    _gfortran_caf_init(NULL, NULL);
    const int me = _gfortran_caf_this_image(0);
    int64_t *seen = sim_common(sizeof last);
    _gfortran_caf_register(PLACES * NBYTES, ALLOCATABLE, &token, &array, NULL, NULL, 0);
    int64_t *places = array.data;
    for (int i = 0; i < PLACES; i++)
        places[i] = 0;
    _gfortran_caf_sync_all(NULL, NULL, 0);
    sim_begin();
    if (me == 1)
        assign();
    for (int i = 0; me == 1 && i < PLACES; i++)
        seen[i] = last[i];
    _gfortran_caf_sync_all(NULL, NULL, 0);
    for (int i = 0; me == 2 && i < PLACES; i++) {
        const int64_t value = __atomic_load_n(&places[i], __ATOMIC_RELAXED);
        SIM_CHECK(value == seen[i], "place %d has %ld, and %ld was put last", i, (long)value,
                  (long)seen[i]);
    }
    sim_end();
    _gfortran_caf_finalize();
}

const sim_scene_t sim_scene = {.name = "image_order", .npes = IMAGES, .nnodes = 2, .run = run};
