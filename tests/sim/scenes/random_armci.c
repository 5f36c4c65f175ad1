// SPDX-License-Identifier: BSD-3-Clause
//
// Programs of ARMCI's operations by seed (armci_generate.h), of two processes on two nodes, whose
// network promises more order or less.
#define MOST_THREADS THREADS
#include "../armci_generate.h"

static void run(void)
{
    static const char *const modes[] = {"off", "on", "auto"}, *const orders[] = {"sas,raw,waw",
                                                                                 "raw,waw", "none"};
    setenv("CAUSEWAY_AGGREGATE", modes[sim_setting(0, 3)], 1);
    setenv("CAUSEWAY_ENDPOINT", sim_setting(1, 2) ? "rdm" : "msg", 1);
    if (sim_setting(2, 2))
        setenv("SIM_ORDER", orders[sim_setting(3, 3)], 1);
    run_random();
}

const sim_scene_t sim_scene = {.name = "random_armci", .npes = 2, .nnodes = 2, .run = run};
