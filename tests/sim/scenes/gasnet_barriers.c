// SPDX-License-Identifier: BSD-3-Clause
//
// Barriers of GASNet in two phases, with names, without and with a mismatch, by waits and by tries,
// while messages come: all processes agree on the result, and what was put before is there.
#define GASNET_SEQ 1
#include <stdbool.h>
#include <unistd.h>

#include "gasnet_scene.h"
#include "sim.h"

enum { REQUEST = 128, NODES = 3, ROUNDS = 4, SEGMENT = 65536 };
static gasnet_seginfo_t segments[NODES];
static int came;

static void request(gasnet_token_t token)
{
    (void)token;
    came++;
}

static gasnet_handlerentry_t handlers[] = {{REQUEST, (void (*)())request}};

static int end(int id, int flags)
{
    int rc;
    if (sim_draw(2))
        return gasnet_barrier_wait(id, flags);
    while ((rc = gasnet_barrier_try(id, flags)) == GASNET_ERR_NOT_READY)
        usleep(20);
    return rc;
}

static void run(void)
{
    scene_attach(handlers, 1, SEGMENT);
    gasnet_getSegmentInfo(segments, NODES);
    gasnet_node_t me = gasnet_mynode(), next = (me + 1) % NODES;
    volatile long *own = segments[me].addr;
    sim_begin();
    for (int round = 1; round <= ROUNDS; round++) {
        bool anonymous = sim_draw(2), differs = round == 2 && me == 1;
        gasnet_put_val(next, segments[next].addr, (gasnet_register_value_t)round, sizeof *own);
        gasnet_AMRequestShort0(next, REQUEST);
        gasnet_barrier_notify(differs ? -round : round,
                              anonymous && !differs ? GASNET_BARRIERFLAG_ANONYMOUS : 0);
        anonymous = sim_draw(2) && !differs;
        int rc = end(differs ? -round : round, anonymous ? GASNET_BARRIERFLAG_ANONYMOUS : 0);
        SIM_CHECK(round == 2 || rc == GASNET_OK, "barrier %d gives %d", round, rc);
        SIM_CHECK(*own >= round, "the word is %ld behind barrier %d", *own, round);
    }
    GASNET_BLOCKUNTIL(came == ROUNDS);
    gasnet_barrier_notify(0, GASNET_BARRIERFLAG_ANONYMOUS);
    gasnet_barrier_wait(0, GASNET_BARRIERFLAG_ANONYMOUS);
    sim_end();
    gasnet_exit(0);
}

const sim_scene_t sim_scene = {
    .name = "gasnet_barriers", .npes = NODES, .nnodes = 2, .run = run, .most_steps = 16000000};
