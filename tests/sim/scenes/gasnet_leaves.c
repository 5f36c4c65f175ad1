// SPDX-License-Identifier: BSD-3-Clause
//
// All processes call gasnet_exit, or come to their ends, each beside a thread that requests, puts
// and polls until the process is gone.
#define GASNET_PAR 1
#include <pthread.h>

#include "gasnet_scene.h"
#include "sim.h"

enum { PES = 3, REQUEST = 128, REPLY, SEGMENT = 65536 };
static gasnet_seginfo_t segments[PES];

static void request(gasnet_token_t token)
{
    gasnet_AMReplyShort0(token, REPLY);
}

static void reply(gasnet_token_t token)
{
    (void)token;
}

static gasnet_handlerentry_t handlers[] = {{REQUEST, (void (*)())request},
                                           {REPLY, (void (*)())reply}};

static void *go_on(void *unused)
{
    const gasnet_node_t next = (gasnet_mynode() + 1) % PES;
    for (long value = 0;; value++) {
        if (sim_draw(2))
            gasnet_AMRequestShort0(next, REQUEST);
        else
            gasnet_put(next, segments[next].addr, &value, sizeof value);
        gasnet_AMPoll();
        sim_look_again();
    }
    return unused;
}

static void run(void)
{
    pthread_t thread;
    scene_attach(handlers, 2, SEGMENT);
    gasnet_getSegmentInfo(segments, PES);
    scene_barrier();
    sim_begin();
    pthread_create(&thread, NULL, go_on, NULL);
    usleep(sim_draw(100));
    if (sim_draw(2))
        gasnet_exit(0);
}

const sim_scene_t sim_scene = {.name = "gasnet_leaves",
                               .npes = PES,
                               .nnodes = 2,
                               .run = run,
                               .most_ns = UINT64_C(20000000000)};
