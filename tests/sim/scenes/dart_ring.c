// SPDX-License-Identifier: BSD-3-Clause
//
// A ring in which each unit sends the next one a message that is too long to go before it is asked
// for, and receives another one in the same call: each send goes on beside the receive.
#include <dash/dart/if/dart.h>

#include "sim.h"

enum { UNITS = 3, LONGS = 1200, ROUNDS = 2 };
static long out[LONGS], in[LONGS];

static void run(void)
{
    dart_thread_support_level_t level;
    dart_global_unit_t me;
    dart_init_thread(NULL, NULL, &level);
    dart_myid(&me);
    dart_global_unit_t next = {(me.id + 1) % UNITS}, last = {(me.id + UNITS - 1) % UNITS};
    dart_barrier(DART_TEAM_ALL);
    sim_begin();
    for (int round = 1; round <= ROUNDS; round++) {
        size_t n = sim_draw(2) ? LONGS : 1;
        out[0] = 10 * round + me.id;
        out[LONGS - 1] = -out[0];
        dart_sendrecv(out, LONGS, DART_TYPE_LONG, round, next, in, LONGS, DART_TYPE_LONG, round,
                      last);
        SIM_CHECK(in[0] == 10 * round + last.id && in[LONGS - 1] == -in[0],
                  "%ld and %ld come in round %d", in[0], in[LONGS - 1], round);
        dart_sendrecv(out, n, DART_TYPE_LONG, 99, next, in, LONGS, DART_TYPE_LONG, 99, last);
        SIM_CHECK(in[0] == 10 * round + last.id, "%ld comes last in round %d", in[0], round);
    }
    dart_barrier(DART_TEAM_ALL);
    sim_end();
    dart_exit();
}

const sim_scene_t sim_scene = {.name = "dart_ring", .npes = UNITS, .nnodes = 2, .run = run};
