// SPDX-License-Identifier: BSD-3-Clause
//
// The stack of a process's first thread lies at one place, however long the environment is: a run
// has as many steps as the address says.
#include <stdatomic.h>

#include "sim.h"

enum { PLACES = 64, ALIGNMENT = 16 };
static _Atomic uint32_t steps;

static void run(void)
{
    char here = 0;
    sim_begin();
    for (uintptr_t n = (uintptr_t)&here / ALIGNMENT % PLACES; n > 0; n--) {
        atomic_fetch_add(&steps, 1);
        sim_yield();
    }
    sim_end();
}

const sim_scene_t sim_scene = {.name = "first_frame", .npes = 1, .nnodes = 1, .run = run};
