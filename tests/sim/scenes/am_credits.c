// SPDX-License-Identifier: BSD-3-Clause
//
// Active messages with two credits: requests of both processes at once, each with a reply, medium
// ones among them. Each is executed once, in any order, and no credit is lost.
#define GASNET_SEQ 1
#include <string.h>

#include "gasnet_scene.h"
#include "sim.h"

enum { REQUEST = 128, REPLY, MEDIUM, SENDS = 6, BYTES = 200 };
static unsigned executed, replied;  // by bits of the numbers of messages
static char text[BYTES];

static void once(unsigned *set, int i)
{
    SIM_CHECK(i >= 0 && i < SENDS && !(*set >> i & 1), "message %d comes twice", i);
    *set |= 1u << i;
}

static void request(gasnet_token_t token, gasnet_handlerarg_t i)
{
    once(&executed, i);
    gasnet_AMReplyShort1(token, REPLY, i);
}

static void medium(gasnet_token_t token, void *data, size_t nbytes, gasnet_handlerarg_t i)
{
    once(&executed, i);
    SIM_CHECK(nbytes == BYTES && memcmp(data, text, BYTES) == 0, "message %d is damaged", i);
    gasnet_AMReplyShort1(token, REPLY, i);
}

static void reply(gasnet_token_t token, gasnet_handlerarg_t i)
{
    (void)token;
    once(&replied, i);
}

static gasnet_handlerentry_t handlers[] = {
    {REQUEST, (void (*)())request}, {REPLY, (void (*)())reply}, {MEDIUM, (void (*)())medium}};

static void run(void)
{
    const unsigned all = (1u << SENDS) - 1;
    memset(text, 'x', sizeof text);
    executed = replied = 0;
    scene_attach(handlers, 3, 0);
    gasnet_node_t peer = gasnet_mynode() ^ 1;
    scene_barrier();
    sim_begin();
    for (int i = 0; i < SENDS; i++)
        if (sim_draw(3))
            gasnet_AMRequestShort1(peer, REQUEST, i);
        else
            gasnet_AMRequestMedium1(peer, MEDIUM, text, BYTES, i);
    GASNET_BLOCKUNTIL(replied == all);
    scene_barrier();
    sim_end();
    SIM_CHECK(executed == all, "executed are %x", executed);
    gasnet_exit(0);
}

static const char *const env[] = {"CAUSEWAY_AM_CREDITS=2", NULL};
const sim_scene_t sim_scene = {.name = "am_credits",
                               .npes = 2,
                               .nnodes = 2,
                               .run = run,
                               .timeless = SIM_UNDER_SC | SIM_UNDER_TSO,
                               .env = env};
