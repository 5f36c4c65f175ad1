// SPDX-License-Identifier: BSD-3-Clause
//
// One process calls gasnet_exit, or two do, while the others wait in vain, poll, or transfer: each
// comes to the end from within that, on one node and between nodes.
#define GASNET_SEQ 1
#include <stdbool.h>
#include <stdlib.h>

#include "gasnet_scene.h"
#include "sim.h"

enum { PES = 3, REQUEST = 128, LAST, SEGMENT = 65536, KINDS = 5 };
static gasnet_seginfo_t segments[PES];
static gasnet_node_t me;

static void request(gasnet_token_t token)
{
    (void)token;
}

static void last(gasnet_token_t token)
{
    (void)token;
    gasnet_exit(0);
}

static gasnet_handlerentry_t handlers[] = {{REQUEST, (void (*)())request},
                                           {LAST, (void (*)())last}};

/** By this process, by a handler in it, or by one in the next process. */
static void end(void)
{
    switch (sim_draw(4)) {
    case 0:
        gasnet_AMRequestShort0(me, LAST);
        GASNET_BLOCKUNTIL(0);
        break;
    case 1:
        gasnet_AMRequestShort0((me + 1) % PES, LAST);
        break;
    case 2:
        exit(0);
    default:
        gasnet_exit(0);
    }
}

static void go_on(uint32_t kind)
{
    const gasnet_node_t next = (me + 1) % PES;
    long value = 1;
    switch (kind) {
    case 0:
        scene_barrier();
        break;
    case 1:
        GASNET_BLOCKUNTIL(0);
        break;
    case 2:
        gasnet_put(next, segments[next].addr, &value, sizeof value);
        break;
    case 3:
        gasnet_get(&value, next, segments[next].addr, sizeof value);
        break;
    default:
        gasnet_AMRequestShort0(next, REQUEST);
    }
}

static void run(void)
{
    scene_attach(handlers, 2, SEGMENT);
    gasnet_getSegmentInfo(segments, PES);
    me = gasnet_mynode();
    scene_barrier();
    sim_begin();
    const uint32_t kind = sim_draw(KINDS);
    const bool also = sim_draw(4) == 0;  // ends the job beside the first one
    usleep(sim_draw(200));
    if (me == sim_seed() % PES || also)
        end();
    for (;;) {
        go_on(kind);
        if (sim_draw(4) == 0)
            scene_barrier();  // only waits learn of the end without a signal
    }
}

static const char *const env[] = {"GASNET_EXITTIMEOUT=0.002", NULL};
const sim_scene_t sim_scene = {.name = "gasnet_ends",
                               .npes = PES,
                               .nnodes = 2,
                               .run = run,
                               .env = env,
                               .most_ns = UINT64_C(4000000000)};
