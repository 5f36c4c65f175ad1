// SPDX-License-Identifier: BSD-3-Clause
//
// Gets of one thread that are complete when a quiet with a higher number is over, while another
// thread quiets all the time: a quiet that does not see that a get is under way must have a number
// that the get knows of. One thread's calls are GASNet's or ARMCI's, the other's ARMCI's.
#define GASNET_PAR 1
#include <armci.h>
#include <pthread.h>

#include "gasnet_scene.h"
#include "sim.h"

enum { ROUNDS = 12, QUIETS = 400, VALUE = 42 };
enum { HANDLE, VALUE_HANDLE, IMPLICIT, ARMCI_HANDLE, KINDS };
static long *words, *blocks[2];  // of the other process
static long over;

static void rest(void)
{
    for (uint32_t k = sim_draw(8); k > 0; k--)
        sim_yield();
}

static void *quiet(void *arg)
{
    (void)arg;
    for (int i = 0; i < QUIETS && !__atomic_load_n(&over, __ATOMIC_RELAXED); i++)
        ARMCI_AllFence();
    return NULL;
}

static long get(int kind)
{
    volatile long room = -1;
    gasnet_handle_t handle;
    gasnet_valget_handle_t value;
    armci_hdl_t request;
    switch (kind) {
    case HANDLE:
        handle = gasnet_get_nb((void *)(uintptr_t)&room, 1, words, sizeof room);
        do
            sim_yield();
        while (gasnet_try_syncnb(handle) != GASNET_OK);
        return room;
    case VALUE_HANDLE:
        value = gasnet_get_nb_val(1, words, sizeof room);
        rest();
        return (long)gasnet_wait_syncnb_valget(value);
    case IMPLICIT:
        gasnet_get_nbi((void *)(uintptr_t)&room, 1, words, sizeof room);
        do
            sim_yield();
        while (gasnet_try_syncnbi_gets() != GASNET_OK);
        return room;
    default:
        ARMCI_INIT_HANDLE(&request);
        ARMCI_NbGet(blocks[1], (void *)(uintptr_t)&room, sizeof room, 1, &request);
        do
            sim_yield();
        while (ARMCI_Test(&request));  // 0: it is complete
        return room;
    }
}

static void run(void)
{
    int kind = (int)sim_setting(0, KINDS);
    gasnet_seginfo_t segments[2];
    scene_attach(NULL, 0, 65536);
    ARMCI_Init_thread(3);
    ARMCI_Malloc((void **)blocks, 64);
    gasnet_getSegmentInfo(segments, 2);
    words = segments[1].addr;
    if (gasnet_mynode() == 1)
        *words = *blocks[1] = VALUE;
    scene_barrier();
    sim_begin();
    if (gasnet_mynode() == 0) {
        pthread_t thread;
        pthread_create(&thread, NULL, quiet, NULL);
        for (int round = 0; round < ROUNDS; round++) {
            rest();
            long seen = get(kind);
            SIM_CHECK(seen == VALUE, "a get that is complete has brought %ld", seen);
        }
        __atomic_store_n(&over, 1, __ATOMIC_RELAXED);
        pthread_join(thread, NULL);
    }
    scene_barrier();
    sim_end();
    ARMCI_Finalize();
    gasnet_exit(0);
}

static const char *const env[] = {"CAUSEWAY_AGGREGATE=off", NULL};
const sim_scene_t sim_scene = {
    .name = "quiet_numbers", .npes = 2, .nnodes = 2, .run = run, .env = env};
