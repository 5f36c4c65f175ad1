// SPDX-License-Identifier: BSD-3-Clause
//
// A program that looks at what malloc returns in one place of two: with the other's refused it ends
// by a signal.
#include <stdio.h>
#include <stdlib.h>

#include "sim.h"

static void run(void)
{
    sim_begin();
    volatile int *one = malloc(sizeof *one);
    if (!one) {
        fprintf(stderr, "causeway: error: no memory\n");
        exit(1);
    }
    volatile int *two = malloc(sizeof *two);
    *one = *two = 1;
    free((void *)one);
    free((void *)two);
    sim_end();
}

const sim_scene_t sim_scene = {
    .name = "no_memory", .npes = 1, .nnodes = 1, .run = run, .faults = SIM_MAY_LACK_MEMORY};
