// SPDX-License-Identifier: BSD-3-Clause
//
// Threads in checking mode that use a handle again without a wait, at one place of the program,
// which is warned of once: the puts are there, whichever thread waits for all of them.
#include <armci.h>
#include <message.h>
#include <pthread.h>

#include "sim.h"

enum { PROCESSES = 2, THREADS = 2, ROUNDS = 2 };
static long *at[PROCESSES];
static int me;

static void *put(void *arg)
{
    const long thread = (long)arg;
    long values[2], seen = -1;
    armci_hdl_t handle;
    ARMCI_INIT_HANDLE(&handle);
    for (long round = 1; round <= ROUNDS; round++) {
        for (int i = 0; i < 2; i++) {
            values[i] = 10 * round + i;
            ARMCI_NbPut(&values[i], at[!me] + 2 * thread + i, sizeof seen, !me, &handle);
        }
        ARMCI_WaitAll();
        for (int i = 0; i < 2; i++) {
            ARMCI_Get(at[!me] + 2 * thread + i, &seen, sizeof seen, !me);
            SIM_CHECK(seen == 10 * round + i, "%ld is there, not %ld", seen, 10 * round + i);
        }
    }
    return NULL;
}

static void run(void)
{
    pthread_t thread;
    ARMCI_Init_thread(3);
    me = armci_msg_me();
    ARMCI_Malloc((void **)at, 2 * THREADS * sizeof(long));
    ARMCI_Barrier();
    sim_begin();
    pthread_create(&thread, NULL, put, (void *)1L);
    put((void *)0L);
    pthread_join(thread, NULL);
    ARMCI_Barrier();
    sim_end();
    ARMCI_Free(at[me]);
    ARMCI_Finalize();
}

static const char *const env[] = {"CAUSEWAY_CHECK=1", NULL};
const sim_scene_t sim_scene = {
    .name = "armci_checked", .npes = PROCESSES, .nnodes = 2, .run = run, .env = env};
