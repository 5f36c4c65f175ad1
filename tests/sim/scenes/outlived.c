// SPDX-License-Identifier: BSD-3-Clause
//
// Coarrays, one image of which is killed at any step, whether it computes, waits, or ends: the
// others go on. A gate has one result on all, none passes one that a living image has not entered,
// what an image did before a gate is seen behind it, and all come to the end.
#include <stdbool.h>
#include <stddef.h>

#include "sim.h"

typedef struct array {
    void *data;
    ptrdiff_t offset;
    size_t elem_nbytes;
    int32_t version;
    int8_t rank, type;
    int16_t attribute;
    ptrdiff_t span;
} array_t;
void _gfortran_caf_init(int *argc, char ***argv);
void _gfortran_caf_finalize(void);
int _gfortran_caf_this_image(int distance);
void _gfortran_caf_sync_all(int *stat, char *errmsg, size_t errmsg_nbytes);
void _gfortran_caf_register(size_t size, int type, void **token, array_t *array, int *stat,
                            char *errmsg, size_t errmsg_nbytes);
void _gfortran_caf_atomic_define(void *token, size_t offset, int image, void *value, int *stat,
                                 int type, int kind);
void _gfortran_caf_atomic_ref(void *token, size_t offset, int image, void *value, int *stat,
                              int type, int kind);
enum { ALLOCATABLE = 1, INTEGER = 1, ATOM = 8 };

enum { IMAGES = 3, ROUNDS = 3, FAILED_IMAGE = 6001 };
typedef enum result { NOT_YET, WHOLE, FAILED } result_t;
typedef struct oracle {
    result_t result[IMAGES][ROUNDS + 1];
} oracle_t;

static oracle_t *o;
static int me;
static void *atom;  // integer(atomic_int_kind) :: atom[*]: the gate to which its image comes

static int count(int round, result_t result)
{
    int n = 0;
    for (int image = 0; image < IMAGES; image++)
        n += o->result[image][round] == result;
    return n;
}

static int count_absent(int round)
{
    int n = 0;
    for (int image = 1; image <= IMAGES; image++) {
        int64_t value = -1;
        _gfortran_caf_atomic_ref(atom, 0, image, &value, NULL, INTEGER, ATOM);
        n += value < round;
    }
    return n;
}

static void enter(int round)
{
    int64_t value = round;
    if (sim_draw(3) == 0)
        usleep(sim_draw(2000));
    SIM_CHECK(count(round, NOT_YET) == IMAGES, "image %d comes to gate %d, which others have left",
              me + 1, round);
    _gfortran_caf_atomic_define(atom, 0, 0, &value, NULL, INTEGER, ATOM);
}

static void leave(int round, int stat)
{
    const bool whole = stat == 0;
    SIM_CHECK(whole || stat == FAILED_IMAGE, "stat is %d", stat);
    o->result[me][round] = whole ? WHOLE : FAILED;
    SIM_CHECK(count(round, whole ? FAILED : WHOLE) == 0, "gate %d has two results", round);
    SIM_CHECK(whole || count(round, FAILED) < IMAGES, "no image has failed in gate %d", round);
    const int absent = count_absent(round);
    SIM_CHECK(absent <= !whole, "image %d leaves gate %d with stat %d, to which %d have not come",
              me + 1, round, stat, absent);
}

static void run(void)
{
    array_t array = {.elem_nbytes = ATOM, .type = INTEGER};
    o = sim_common(sizeof *o);
    _gfortran_caf_init(NULL, NULL);
    me = _gfortran_caf_this_image(0) - 1;
    _gfortran_caf_register(ATOM, ALLOCATABLE, &atom, &array, NULL, NULL, 0);
    *(int64_t *)array.data = 0;
    _gfortran_caf_sync_all(NULL, NULL, 0);
    sim_begin();
    for (int round = 1; round <= ROUNDS; round++) {
        int stat = -1;
        enter(round);
        _gfortran_caf_sync_all(&stat, NULL, 0);
        leave(round, stat);
    }
    sim_end();
    _gfortran_caf_finalize();
}

static const char *const env[] = {"CAUSEWAY_FAILED_IMAGES=continue", NULL};
const sim_scene_t sim_scene = {.name = "outlived",
                               .npes = IMAGES,
                               .nnodes = 1,
                               .run = run,
                               .env = env,
                               .outlives = 1,
                               .faults = SIM_MAY_KILL};
