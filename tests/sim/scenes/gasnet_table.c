// SPDX-License-Identifier: BSD-3-Clause
//
// Handlers that use the table of segments: none runs in gasnet_getSegmentInfo before it is filled.
#define GASNET_SEQ 1
#include <gasnet.h>

#include "sim.h"

enum { REQUEST = 128, REPLY, NODES = 3, SEGMENT = 65536 };
static gasnet_seginfo_t table[NODES];
static int asked, replied, done;

static void request(gasnet_token_t token)
{
    SIM_CHECK(table[0].addr != NULL, "a handler runs before the table is there");
    asked++;
    gasnet_AMReplyShort0(token, REPLY);
}

static void reply(gasnet_token_t token)
{
    (void)token;
    replied++;
}

static gasnet_handlerentry_t handlers[] = {{REQUEST, (void (*)())request},
                                           {REPLY, (void (*)())reply}};

static void run(void)
{
    int argc = 1;
    char *words[] = {(char *)"scene", NULL}, **argv = words;
    sim_begin();
    gasnet_init(&argc, &argv);
    gasnet_node_t me = gasnet_mynode();
    if (me == NODES - 1)
        for (uint32_t n = sim_draw(20000); n > 0; n--)
            sim_yield();
    gasnet_attach(handlers, 2, SEGMENT, 0);
    if (me == 1)
        gasnet_AMRequestShort0(0, REQUEST);
    gasnet_getSegmentInfo(table, NODES);
    done = me == 0 ? 1 : 0;
    GASNET_BLOCKUNTIL(asked == done && replied == (me == 1));
    gasnet_barrier_notify(0, GASNET_BARRIERFLAG_ANONYMOUS);
    gasnet_barrier_wait(0, GASNET_BARRIERFLAG_ANONYMOUS);
    sim_end();
    gasnet_exit(0);
}

const sim_scene_t sim_scene = {.name = "gasnet_table", .npes = NODES, .nnodes = 2, .run = run};
