// SPDX-License-Identifier: BSD-3-Clause
//
// Pointer components of a coarray that lead to memory of their image that is none of a coarray, on
// a node and between two: assignments of one image to elements of another's target take effect in
// their order, what is read there is what was put last, and its image has all of it behind a
// synchronisation. An image follows the pointers of others before, while or after they follow its
// own.
#include <stdlib.h>
#include <string.h>

#include "../image_references.h"
#include "sim.h"

enum { IMAGES = 3, ROUNDS = 2, STEPS = 3, FEW = 4, NELEMS = 600 };  // more than a message has

static void *boxes;            // type(box), allocatable :: boxes[:]
static int64_t known[NELEMS];  // what was put last
static int me;

static void draw(part_t *p, int image)
{
    *p = (part_t){.image = image, .n = 1 + sim_draw(FEW), .step = 1 + sim_draw(3)};
    if (sim_draw(12) == 0)
        *p = (part_t){.image = image, .n = NELEMS, .step = 1};
    else
        p->begin = sim_draw(FEW);
    name(p);
}

static void get(part_t *p)
{
    int64_t expected[NELEMS], seen[NELEMS];  // a stack's loads and stores are no points
    vector_t to = vector(seen, p->n);
    memset(seen, -1, sizeof seen);
    memcpy(expected, known, sizeof known);
    _gfortran_caf_get_by_ref(boxes, p->image, &to, &p->component, NBYTES, NBYTES, false, false,
                             NULL, INTEGER);
    for (size_t i = 0, at = p->begin; i < p->n; i++, at += p->step)
        SIM_CHECK(seen[i] == expected[at], "element %zu of image %d is %ld, and %ld was put last",
                  at, p->image, (long)seen[i], (long)expected[at]);
}

static void put(part_t *p, int64_t value)
{
    int64_t expected[NELEMS], values[NELEMS];
    vector_t from = vector(values, p->n);
    memcpy(expected, known, sizeof known);
    for (size_t i = 0, at = p->begin; i < p->n; i++, at += p->step)
        values[i] = expected[at] = value + (int64_t)i;
    memcpy(known, expected, sizeof known);
    _gfortran_caf_send_by_ref(boxes, p->image, &from, &p->component, NBYTES, NBYTES, false, false,
                              NULL, INTEGER);
}

static void assign(int image, int round)
{
    part_t part;
    for (int step = 0; step < STEPS; step++) {
        draw(&part, image);
        if (sim_draw(3) == 0)
            get(&part);
        else
            put(&part, ((me * ROUNDS + round) * STEPS + step + 1) * 10000);
    }
}

static void check(const int64_t *target, const int64_t *put_last)
{
    int64_t seen[NELEMS], expected[NELEMS];
    memcpy(seen, target, sizeof seen);
    memcpy(expected, put_last, sizeof expected);
    for (size_t i = 0; i < NELEMS; i++)
        SIM_CHECK(seen[i] == expected[i], "element %zu of image %d is %ld, and %ld was put last", i,
                  me, (long)seen[i], (long)expected[i]);
}

static void run(void)
{
    static const char *const orders[] = {"sas,raw,waw", "raw,waw", "sas", "none"};
    vector_t none = {.of = {.elem_nbytes = sizeof(box_t), .type = DERIVED}};
    int64_t *target = calloc(NELEMS, sizeof *target);
    setenv("SIM_ORDER", orders[sim_setting(0, 4)], 1);
    setenv("CAUSEWAY_ENDPOINT", sim_setting(1, 2) ? "rdm" : "msg", 1);
    _gfortran_caf_init(NULL, NULL);
    me = _gfortran_caf_this_image(0);
    int64_t(*put_last)[NELEMS] = sim_common(IMAGES * sizeof *put_last);
    sim_begin();
    _gfortran_caf_register(sizeof(box_t), ALLOCATABLE, &boxes, &none.of, NULL, NULL, 0);
    ((box_t *)none.of.data)->p = vector(target, NELEMS);
    _gfortran_caf_sync_all(NULL, NULL, 0);
    for (int round = 0; round < ROUNDS; round++) {
        const int other = (me + round) % IMAGES + 1;  // the next one, then the one before
        memcpy(known, put_last[other - 1], sizeof known);
        assign(other, round);
        memcpy(put_last[other - 1], known, sizeof known);
        _gfortran_caf_sync_all(NULL, NULL, 0);
        check(target, put_last[me - 1]);
        _gfortran_caf_sync_all(NULL, NULL, 0);
    }
    sim_end();
    _gfortran_caf_finalize();
    free(target);
}

const sim_scene_t sim_scene = {.name = "image_targets", .npes = IMAGES, .nnodes = 2, .run = run};
