// SPDX-License-Identifier: BSD-3-Clause
//
// A thread accumulates to a location, by a request, then puts to it, while another thread, which
// puts to the same process, fences for the accumulate's mark: its fence counts for the mark only if
// it has seen the accumulate.
#include <armci.h>
#include <message.h>
#include <pthread.h>

#include "sim.h"

enum { PROCESSES = 2, ROUNDS = 20, MOST = 200, TARGET = 1 };
static long *at[PROCESSES];
static int over;

static void *put(void *arg)
{
    long value = 7;
    (void)arg;
    for (int n = 0; n < MOST && !__atomic_load_n(&over, __ATOMIC_RELAXED); n++) {
        ARMCI_Put(&value, at[TARGET] + 16, sizeof value, TARGET);
        sim_yield();
    }
    return NULL;
}

static void write_in_order(void)
{
    long scale = 1, much = 1000;
    for (long v = 1; v <= ROUNDS; v++) {
        long seen = -1;
        ARMCI_Acc(ARMCI_ACC_LNG, &scale, &much, at[TARGET], sizeof much, TARGET);
        for (uint32_t k = sim_draw(4); k > 0; k--)
            sim_yield();
        ARMCI_Put(&v, at[TARGET], sizeof v, TARGET);
        ARMCI_Fence(TARGET);  // from here on nothing is in flight
        ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &seen, at[TARGET], 0, TARGET);
        SIM_CHECK(seen == v, "a put of %ld behind an accumulate leaves %ld", v, seen);
    }
}

static void run(void)
{
    pthread_t thread;
    ARMCI_Init_thread(3);
    ARMCI_Malloc((void **)at, 256);
    ARMCI_Barrier();
    sim_begin();
    if (armci_msg_me() == 0) {
        pthread_create(&thread, NULL, put, NULL);
        write_in_order();
        __atomic_store_n(&over, 1, __ATOMIC_RELAXED);
        pthread_join(thread, NULL);
    }
    ARMCI_Barrier();
    sim_end();
    ARMCI_Finalize();
}

static const char *const env[] = {"CAUSEWAY_AGGREGATE=off", NULL};
const sim_scene_t sim_scene = {
    .name = "armci_begun", .npes = PROCESSES, .nnodes = PROCESSES, .run = run, .env = env};
