// SPDX-License-Identifier: BSD-3-Clause
//
// Messages of DART and of ARMCI's layer in one process: several of each tag, of several sizes, to
// units that receive in another order, across nodes and within one.
#include <armci.h>
#include <dash/dart/if/dart.h>
#include <message.h>
#include <string.h>

#include "sim.h"

enum { UNITS = 3, MESSAGES = 3, LONG_ONE = 40 };

static void send(int to, int tag, int number)
{
    static long text[LONG_ONE];
    size_t n = number == 1 ? LONG_ONE : 1;
    for (size_t i = 0; i < n; i++)
        text[i] = 100 * tag + number;
    dart_send(text, n, DART_TYPE_LONG, tag, DART_GLOBAL_UNIT_ID(to));
}

static void receive(int from, int tag, int number)
{
    static long text[LONG_ONE];
    size_t n = number == 1 ? LONG_ONE : 1;
    memset(text, 0, sizeof text);
    dart_recv(text, n, DART_TYPE_LONG, tag, DART_GLOBAL_UNIT_ID(from));
    for (size_t i = 0; i < n; i++)
        SIM_CHECK(text[i] == 100 * tag + number, "message %d of tag %d has %ld", number, tag,
                  text[i]);
}

static void run(void)
{
    dart_global_unit_t me;
    dart_init(NULL, NULL);
    dart_myid(&me);
    int next = (me.id + 1) % UNITS, before = (me.id + UNITS - 1) % UNITS;
    dart_barrier(DART_TEAM_ALL);
    sim_begin();
    for (int i = 0; i < MESSAGES; i++) {
        send(next, 1, i);
        send(next, 2, i);
    }
    for (int i = 0; i < MESSAGES; i++)
        receive(before, 2, i);
    for (int i = 0; i < MESSAGES; i++)
        receive(before, 1, i);
    dart_barrier(DART_TEAM_ALL);
    sim_end();
    dart_exit();
}

const sim_scene_t sim_scene = {.name = "messages", .npes = UNITS, .nnodes = 2, .run = run};
