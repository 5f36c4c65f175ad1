// SPDX-License-Identifier: BSD-3-Clause
//
// Requests, and their replies, that are under way when the processes come to gasnet_exit, one of
// them in the middle of a barrier: what comes late is dropped, and the job ends.
#define GASNET_SEQ 1

#include "gasnet_scene.h"
#include "sim.h"

enum { REQUEST = 128, REPLY, LAST = 140 };

static void request(gasnet_token_t token)
{
    gasnet_AMReplyShort0(token, REPLY);
}

static void reply(gasnet_token_t token)
{
    (void)token;
}

static void last(gasnet_token_t token)
{
    (void)token;
    gasnet_exit(0);
}

static gasnet_handlerentry_t handlers[] = {
    {REQUEST, (void (*)())request}, {REPLY, (void (*)())reply}, {LAST, (void (*)())last}};

static void run(void)
{
    scene_attach(handlers, 3, 0);
    gasnet_node_t me = gasnet_mynode(), next = (me + 1) % gasnet_nodes();
    gasnet_barrier_notify(0, 0);
    gasnet_barrier_wait(0, 0);
    sim_begin();
    for (uint32_t n = 1 + sim_draw(3); n > 0; n--)
        gasnet_AMRequestShort0(next, REQUEST);
    if (me == 1)
        gasnet_AMRequestShort0(0, LAST);
    if (me == 0 && sim_draw(2))
        gasnet_barrier_notify(0, 0);
    if (me == 0 && sim_draw(2))
        GASNET_BLOCKUNTIL(0);  // until the last message comes
    gasnet_exit(0);
}

const sim_scene_t sim_scene = {
    .name = "gasnet_late", .npes = 3, .nnodes = 2, .run = run, .most_ns = UINT64_C(20000000000)};
