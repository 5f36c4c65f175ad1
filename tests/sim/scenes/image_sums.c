// SPDX-License-Identifier: BSD-3-Clause
//
// Sums of memory of each image alone, on one node, one behind the other: longer than what travels
// with a synchronisation, so through the scratch.
#include "../image_calls.h"
#include "sim.h"

enum { IMAGES = 3, SUMS = 5, MOST = 90 };

static void run(void)
{
    static int64_t mine[MOST];
    struct {
        array_t array;
        ptrdiff_t stride, lower, upper;
    } a = {.array = integer(mine), .stride = 1, .lower = 1};
    _gfortran_caf_init(NULL, NULL);
    const int me = _gfortran_caf_this_image(0);
    a.array.rank = 1;
    _gfortran_caf_sync_all(NULL, NULL, 0);
    sim_begin();
    for (int k = 0; k < SUMS; k++) {
        a.upper = 40 + sim_setting((uint32_t)k, MOST - 39);
        for (int i = 0; i < a.upper; i++)
            mine[i] = 1000 * k + 10 * i + me;
        _gfortran_caf_co_sum(&a.array, 0, NULL, NULL, 0);
        for (int i = 0; i < a.upper; i++)
            SIM_CHECK(mine[i] == IMAGES * (1000 * k + 10 * i) + IMAGES * (IMAGES + 1) / 2,
                      "sum %d: element %d of %td is %ld", k, i, a.upper, (long)mine[i]);
    }
    sim_end();
    _gfortran_caf_finalize();
}

const sim_scene_t sim_scene = {.name = "image_sums", .npes = IMAGES, .nnodes = 1, .run = run};
