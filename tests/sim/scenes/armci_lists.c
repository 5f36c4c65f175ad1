// SPDX-License-Identifier: BSD-3-Clause
//
// What an aggregate handle has collected is complete behind a fence, a barrier, and a wait for the
// handle; other operations with the process, and notifications, come behind it.
#include <armci.h>
#include <message.h>

#include "sim.h"

enum { PROCESSES = 2, WORDS = 4 };
static long *at[PROCESSES];
static int me;

static void collect(armci_hdl_t *handle, long value)
{
    static long source[WORDS];
    ARMCI_INIT_HANDLE(handle);
    ARMCI_SET_AGGREGATE_HANDLE(handle);
    for (int i = 0; i < WORDS; i++) {
        source[i] = value;
        ARMCI_NbPut(&source[i], at[!me] + i, sizeof *source, !me, handle);
    }
}

static void check_peer(long value)
{
    for (int i = 0; i < WORDS; i++) {
        long seen = -1;
        ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &seen, at[!me] + i, 0, !me);
        SIM_CHECK(seen == value, "word %d is %ld where %ld was put", i, seen, value);
    }
}

static void check_own(long value)
{
    for (int i = 0; i < WORDS; i++) {
        long seen = __atomic_load_n(at[me] + i, __ATOMIC_RELAXED);
        SIM_CHECK(seen == value, "own word %d is %ld where %ld was put", i, seen, value);
    }
}

static void run(void)
{
    armci_hdl_t fenced, waited, barrier, passed, notified;
    long value = 4;
    ARMCI_Init();
    me = armci_msg_me();
    ARMCI_Malloc((void **)at, 256);
    ARMCI_Barrier();
    sim_begin();
    collect(&fenced, 1);
    ARMCI_Fence(!me);
    armci_msg_barrier();  // sends nothing that was collected
    check_own(1);
    armci_msg_barrier();
    ARMCI_Wait(&fenced);
    collect(&waited, 2);
    ARMCI_Wait(&waited);
    ARMCI_Fence(!me);
    check_peer(2);
    ARMCI_Barrier();
    collect(&barrier, 3);
    ARMCI_Barrier();
    check_own(3);
    ARMCI_Wait(&barrier);
    ARMCI_Put(&value, at[!me] + WORDS, sizeof value, !me);
    armci_notify(!me);
    armci_notify_wait(!me, &(int){0});
    value = __atomic_load_n(at[me] + WORDS, __ATOMIC_RELAXED);
    SIM_CHECK(value == 4, "the notification came before the put: %ld", value);
    collect(&passed, 5);
    check_peer(5);
    ARMCI_Wait(&passed);
    ARMCI_Barrier();
    collect(&notified, 6);
    armci_notify(!me);
    armci_notify_wait(!me, &(int){0});
    check_own(6);
    ARMCI_Wait(&notified);
    ARMCI_Barrier();
    sim_end();
    ARMCI_Finalize();
}

const sim_scene_t sim_scene = {
    .name = "armci_lists", .npes = PROCESSES, .nnodes = PROCESSES, .run = run};
