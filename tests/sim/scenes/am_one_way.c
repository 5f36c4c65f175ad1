// SPDX-License-Identifier: BSD-3-Clause
//
// Requests that are not replied to, with few credits, to a process that handles some and then
// computes: what it has handled gives the sender its credits back, so it goes on.
#define GASNET_SEQ 1
#include <unistd.h>

#include "gasnet_scene.h"
#include "sim.h"

enum { REQUEST = 128, CREDITS = 4, HANDLED = CREDITS / 2, SEGMENT = 65536 };
static unsigned handled;
static gasnet_seginfo_t segments[2];

static void request(gasnet_token_t token)
{
    (void)token;
    handled++;
}

static gasnet_handlerentry_t handlers[] = {{REQUEST, (void (*)())request}};

/** The first requests are handled; then nothing is until the sender has sent more. */
static void compute(void)
{
    const int *sent = segments[1].addr;
    GASNET_BLOCKUNTIL(handled >= HANDLED);
    while (!__atomic_load_n(sent, __ATOMIC_ACQUIRE))
        usleep(50);
}

static void send(void)
{
    int one = 1;
    for (int i = 0; i < HANDLED; i++)
        gasnet_AMRequestShort0(1, REQUEST);
    for (int i = 0; i < CREDITS - HANDLED + 1; i++)
        gasnet_AMRequestShort0(1, REQUEST);
    gasnet_put(1, segments[1].addr, &one, sizeof one);
}

static void run(void)
{
    scene_attach(handlers, 1, SEGMENT);
    gasnet_getSegmentInfo(segments, 2);
    scene_barrier();
    sim_begin();
    if (gasnet_mynode() == 0)
        send();
    else
        compute();
    scene_barrier();
    sim_end();
    gasnet_exit(0);
}

static const char *const env[] = {"CAUSEWAY_AM_CREDITS=4", "CAUSEWAY_AGGREGATE=off", NULL};
const sim_scene_t sim_scene = {
    .name = "am_one_way", .npes = 2, .nnodes = 2, .run = run, .env = env, .most_ns = 1000000000};
