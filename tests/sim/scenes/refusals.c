// SPDX-License-Identifier: BSD-3-Clause
//
// One unit of a node asks DART for more memory than the machine has, and is refused, while the
// other one asks for little: that it always gets.
#include <dash/dart/if/dart.h>

#include "sim.h"

enum { UNITS = 2, TIMES = 3 };

static dart_ret_t ask(size_t nbytes)
{
    dart_gptr_t block;
    dart_ret_t rc = dart_memalloc(nbytes, DART_TYPE_BYTE, &block);
    if (rc == DART_OK)
        dart_memfree(block);
    return rc;
}

static void run(void)
{
    dart_config_t *config;
    dart_global_unit_t unit;
    dart_init(NULL, NULL);
    dart_config(&config);
    config->log_enabled = 0;
    dart_myid(&unit);
    dart_barrier(DART_TEAM_ALL);
    sim_begin();
    for (int i = 0; i < TIMES; i++) {
        dart_ret_t rc = ask(unit.id ? (size_t)1 << 50 : 8);
        SIM_CHECK(rc == (unit.id ? DART_ERR_NOMEM : DART_OK), "unit %d gets code %d", unit.id, rc);
    }
    sim_end();
    dart_exit();
}

const sim_scene_t sim_scene = {.name = "refusals", .npes = UNITS, .nnodes = 1, .run = run};
