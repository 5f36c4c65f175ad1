// SPDX-License-Identifier: BSD-3-Clause
//
// More requests than an inbox has cells, from another node and from the own one, to a process that
// comes late: the node server keeps what finds no room, a neighbour waits, each is handled once.
#define GASNET_SEQ 1
#include <unistd.h>

#include "gasnet_scene.h"
#include "sim.h"

enum { REQUEST = 128, CELLS = 256, MORE = 12, PROCESSES = 3, TARGET = 1 };  // node 0 has 0 and 1
static unsigned handled[PROCESSES];

static void request(gasnet_token_t token, gasnet_handlerarg_t sender)
{
    (void)token;
    handled[sender]++;
}

static gasnet_handlerentry_t handlers[] = {{REQUEST, (void (*)())request}};

static void run(void)
{
    const unsigned due[PROCESSES] = {MORE, 0, CELLS - MORE / 2};
    scene_attach(handlers, 1, 0);
    gasnet_node_t me = gasnet_mynode();
    scene_barrier();
    sim_begin();
    if (me == 0)
        usleep(10000 * sim_draw(2));
    for (unsigned i = 0; i < due[me]; i++)
        gasnet_AMRequestShort1(TARGET, REQUEST, me);
    if (me == TARGET) {
        usleep(30000 * sim_draw(2));
        GASNET_BLOCKUNTIL(handled[0] == due[0] && handled[2] == due[2]);
    }
    scene_barrier();
    sim_end();
    gasnet_exit(0);
}

static const char *const env[] = {"CAUSEWAY_AM_CREDITS=256", "CAUSEWAY_AGGREGATE=off", NULL};
const sim_scene_t sim_scene = {.name = "am_full_inbox",
                               .npes = PROCESSES,
                               .nnodes = 2,
                               .run = run,
                               .env = env,
                               .most_steps = 64000000};
