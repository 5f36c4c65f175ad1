// SPDX-License-Identifier: BSD-3-Clause
//
// Two processes of a node fill the inbox of a neighbour that comes late, and a third one, to which
// no acknowledgement is due, has to wait for room: it sleeps, is woken when there is some, and each
// request is handled once.
#define GASNET_SEQ 1
#include <stdbool.h>

#include "gasnet_scene.h"
#include "sim.h"

enum { PES = 4, TARGET = 1, LAST = 3, REQUEST = 128, CELLS = 256, LATE = 400 };
static const int due[PES] = {CELLS / 2, 0, CELLS / 2, 2};
static bool seen[PES][CELLS / 2];
static int handled;

static void request(gasnet_token_t token, gasnet_handlerarg_t from, gasnet_handlerarg_t number)
{
    (void)token;
    SIM_CHECK(!seen[from][number], "request %d of process %d is handled twice", number, from);
    seen[from][number] = true;
    handled++;
}

static gasnet_handlerentry_t handlers[] = {{REQUEST, (void (*)())request}};

static void run(void)
{
    scene_attach(handlers, 1, 0);
    const int me = (int)gasnet_mynode();
    scene_barrier();
    sim_begin();
    for (uint32_t n = me == TARGET || me == LAST ? sim_draw(LATE) : 0; n > 0; n--)
        sim_yield();
    for (int i = 0; i < due[me]; i++)
        gasnet_AMRequestShort2(TARGET, REQUEST, me, i);
    if (me == TARGET)
        GASNET_BLOCKUNTIL(handled == CELLS + due[LAST]);
    scene_barrier();
    sim_end();
    gasnet_exit(0);
}

static const char *const env[] = {"CAUSEWAY_AM_CREDITS=256", NULL};
const sim_scene_t sim_scene = {.name = "am_full_node",
                               .npes = PES,
                               .nnodes = 1,
                               .run = run,
                               .env = env,
                               .timeless = SIM_UNDER_SC};
