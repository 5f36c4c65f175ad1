// SPDX-License-Identifier: BSD-3-Clause
//
// ARMCI keeps the order of a thread's operations on one location: non-blocking puts, then a
// fetch-and-add or a get, which must see the last of them, while other threads put and fence.
#include <armci.h>
#include <message.h>
#include <pthread.h>

#include "sim.h"

enum { PROCESSES = 3, ROUNDS = 4, OTHERS = 2 };
static long *at[PROCESSES];
static int me;

static void *disturb(void *arg)
{
    long value = 7, place = 64 + (long)arg;
    for (int round = 0; round < ROUNDS; round++) {
        for (int p = 0; p < PROCESSES; p++)
            if (p != me)
                ARMCI_NbPut(&value, at[p] + place, sizeof value, p, NULL);
        ARMCI_AllFence();
    }
    return NULL;
}

static void check(int p)
{
    for (long v = 0, round = 0; round < ROUNDS; round++) {
        long old = -1;
        for (int i = 0; i < 3; i++) {
            v++;
            ARMCI_NbPut(&v, at[p] + me, sizeof v, p, NULL);
        }
        if (sim_draw(2))
            ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &old, at[p] + me, 0, p);
        else
            ARMCI_Get(at[p] + me, &old, sizeof old, p);
        SIM_CHECK(old == v, "process %d reads %ld of process %d behind its put of %ld", me, old, p,
                  v);
    }
}

static void run(void)
{
    pthread_t threads[OTHERS];
    ARMCI_Init_thread(3);
    me = armci_msg_me();
    ARMCI_Malloc((void **)at, 1024);
    ARMCI_Barrier();
    sim_begin();
    if (me == 0) {
        for (long i = 0; i < OTHERS; i++)
            pthread_create(&threads[i], NULL, disturb, (void *)i);
        check(1);
        for (int i = 0; i < OTHERS; i++)
            pthread_join(threads[i], NULL);
    }
    ARMCI_Barrier();
    sim_end();
    ARMCI_Finalize();
}

static const char *const env[] = {"CAUSEWAY_AGGREGATE=on", NULL};
const sim_scene_t sim_scene = {
    .name = "armci_order", .npes = PROCESSES, .nnodes = PROCESSES, .run = run, .env = env};
