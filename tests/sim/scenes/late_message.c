// SPDX-License-Identifier: BSD-3-Clause
//
// A message that comes seconds after it is waited for, while others lie there, in checking mode,
// which says so: all arrive, in order.
#include <dash/dart/if/dart.h>
#include <unistd.h>

#include "sim.h"

enum { UNITS = 2, LATE, EARLY, OTHERS = 2 };

static void send(int tag, long value)
{
    dart_send(&value, 1, DART_TYPE_LONG, tag, DART_GLOBAL_UNIT_ID(0));
}

static void receive(int tag, long value)
{
    long seen = -1;
    dart_recv(&seen, 1, DART_TYPE_LONG, tag, DART_GLOBAL_UNIT_ID(1));
    SIM_CHECK(seen == value, "a message with tag %d brings %ld, not %ld", tag, seen, value);
}

static void run(void)
{
    dart_global_unit_t me;
    dart_init(NULL, NULL);
    dart_myid(&me);
    dart_barrier(DART_TEAM_ALL);
    sim_begin();
    if (me.id == 1) {
        for (long i = 0; i < OTHERS; i++)
            send(EARLY, i);
        usleep(6000000);
        send(LATE, 7);
    } else {
        receive(LATE, 7);
        for (long i = 0; i < OTHERS; i++)
            receive(EARLY, i);
    }
    dart_barrier(DART_TEAM_ALL);
    sim_end();
    dart_exit();
}

static const char *const env[] = {"CAUSEWAY_CHECK=1", NULL};
const sim_scene_t sim_scene = {.name = "late_message",
                               .npes = UNITS,
                               .nnodes = 1,
                               .run = run,
                               .env = env,
                               .most_ns = UINT64_C(20000000000)};
