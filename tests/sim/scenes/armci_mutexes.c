// SPDX-License-Identifier: BSD-3-Clause
//
// Mutexes of ARMCI that threads of two processes want, on one node: the thread that has one adds to
// a counter by a get and a put.
#include <armci.h>
#include <message.h>
#include <pthread.h>

#include "sim.h"

enum { PROCESSES = 2, THREADS = 3, ROUNDS = 4 };
static long *at[PROCESSES];

static void *add(void *arg)
{
    (void)arg;
    for (int round = 0; round < ROUNDS; round++) {
        long count;
        int mutex = (int)sim_draw(2);
        ARMCI_Lock(mutex, 0);
        ARMCI_Get(at[mutex], &count, sizeof count, mutex);
        count++;
        ARMCI_Put(&count, at[mutex], sizeof count, mutex);
        ARMCI_Unlock(mutex, 0);
        if (sim_draw(2))
            sim_yield();
    }
    return NULL;
}

static void run(void)
{
    pthread_t threads[THREADS];
    ARMCI_Init_thread(3);
    ARMCI_Malloc((void **)at, 64);
    ARMCI_Create_mutexes(2);
    ARMCI_Barrier();
    sim_begin();
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, add, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    ARMCI_Barrier();
    sim_end();
    if (armci_msg_me() == 0)  // both are mapped here
        SIM_CHECK(*at[0] + *at[1] == PROCESSES * THREADS * ROUNDS, "%ld and %ld were counted",
                  *at[0], *at[1]);
    ARMCI_Destroy_mutexes();
    ARMCI_Finalize();
}

const sim_scene_t sim_scene = {.name = "armci_mutexes", .npes = PROCESSES, .nnodes = 1, .run = run};
