// SPDX-License-Identifier: BSD-3-Clause
//
// A collective of GASNet-1 goes on while the processes do nothing but poll, with two threads each.
#define GASNET_PAR 1
#include <gasnet_coll.h>
#include <pthread.h>

#include "gasnet_scene.h"
#include "sim.h"

enum { SEGMENT = 65536 };
static long source = 42, *dest;

static void *await(void *arg)
{
    (void)arg;
    while (__atomic_load_n(dest, __ATOMIC_ACQUIRE) != source)
        gasnet_AMPoll();
    return NULL;
}

static void run(void)
{
    pthread_t thread;
    gasnet_seginfo_t segments[2];
    scene_attach(NULL, 0, SEGMENT);
    gasnet_getSegmentInfo(segments, 2);
    gasnet_coll_init(NULL, 0, NULL, 0, 0);
    dest = segments[gasnet_mynode()].addr;
    gasnet_barrier_notify(0, 0);
    gasnet_barrier_wait(0, 0);
    sim_begin();
    gasnet_coll_handle_t handle = gasnet_coll_broadcast_nb(
        GASNET_TEAM_ALL, dest, 0, &source, sizeof source,
        GASNET_COLL_LOCAL | GASNET_COLL_IN_ALLSYNC | GASNET_COLL_OUT_ALLSYNC);
    pthread_create(&thread, NULL, await, NULL);
    await(NULL);
    pthread_join(thread, NULL);
    gasnet_coll_wait_sync(handle);
    gasnet_barrier_notify(0, 0);
    gasnet_barrier_wait(0, 0);
    sim_end();
    gasnet_exit(0);
}

const sim_scene_t sim_scene = {
    .name = "coll_polls", .npes = 2, .nnodes = 1, .run = run, .most_steps = 1000000};
