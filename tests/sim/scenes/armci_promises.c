// SPDX-License-Identifier: BSD-3-Clause
//
// ARMCI on providers that promise less than all order: a read-modify-write of a location sees the
// put before it, also while a test of that put, which waits for nothing, has begun to flush it.
#include <armci.h>
#include <message.h>
#include <stdlib.h>

#include "sim.h"

enum { ROUNDS = 5 };
static void *at[2];

static void run(void)
{
    static const char *const orders[] = {"sas,raw,waw", "raw,waw", "sas,raw,waw", "none"};
    setenv("SIM_ORDER", orders[sim_setting(0, 4)], 1);
    setenv("CAUSEWAY_ENDPOINT", sim_setting(1, 2) ? "rdm" : "msg", 1);
    ARMCI_Init();
    int me = armci_msg_me();
    ARMCI_Malloc(at, 256);
    ARMCI_Barrier();
    sim_begin();
    for (long v = 1; me == 0 && v <= ROUNDS; v++) {
        long old = -1, *word = at[1];
        armci_hdl_t handle;
        ARMCI_INIT_HANDLE(&handle);
        ARMCI_NbPut(&v, word, sizeof v, 1, &handle);
        for (uint32_t tests = sim_draw(4); tests > 0; tests--)
            ARMCI_Test(&handle);
        if (sim_draw(2))
            ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &old, word, 0, 1);
        else
            ARMCI_Get(word, &old, sizeof old, 1);
        SIM_CHECK(old == v, "a read gives %ld behind the put of %ld", old, v);
        ARMCI_Wait(&handle);
    }
    ARMCI_Barrier();
    sim_end();
    ARMCI_Finalize();
}

static const char *const env[] = {"CAUSEWAY_AGGREGATE=off", NULL};
const sim_scene_t sim_scene = {
    .name = "armci_promises", .npes = 2, .nnodes = 2, .run = run, .env = env};
