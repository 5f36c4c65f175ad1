// SPDX-License-Identifier: BSD-3-Clause
//
// The transport that delays and reorders: behind a fence of ARMCI a get sees the put before it,
// although both may be held back.
#include <armci.h>
#include <message.h>
#include <stdlib.h>

#include "sim.h"

enum { ROUNDS = 4, LONGS = 8 };
static void *at[2];

static void run(void)
{
    static const char *const delays[] = {"1:20", "2:20", "3:20", "4:100"};
    setenv("CAUSEWAY_DELAY", delays[sim_setting(0, 4)], 1);
    ARMCI_Init();
    int me = armci_msg_me();
    ARMCI_Malloc(at, 256);
    ARMCI_Barrier();
    sim_begin();
    for (long v = 1; me == 0 && v <= ROUNDS; v++) {
        long values[LONGS], back[LONGS] = {0};
        armci_hdl_t handle;
        for (int i = 0; i < LONGS; i++)
            values[i] = v;
        ARMCI_INIT_HANDLE(&handle);
        ARMCI_NbPut(values, at[1], sizeof values, 1, NULL);
        if (sim_draw(2))
            ARMCI_Fence(1);
        ARMCI_NbGet(at[1], back, sizeof back, 1, &handle);
        ARMCI_Wait(&handle);
        SIM_CHECK(back[0] == v && back[LONGS - 1] == v,
                  "a get gives %ld and %ld behind a put of %ld", back[0], back[LONGS - 1], v);
    }
    ARMCI_Barrier();
    sim_end();
    ARMCI_Finalize();
}

const sim_scene_t sim_scene = {.name = "delays", .npes = 2, .nnodes = 2, .run = run};
