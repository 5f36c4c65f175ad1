// SPDX-License-Identifier: BSD-3-Clause
//
// PEs, some of which have another value of a setting on which collective calls depend: the job ends
// with an error before they wait for each other, whichever of them comes first.
#include <shmem.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "sim.h"

enum { PES = 3 };
static long word;

static void run(void)
{
    static const char *const settings[][3] = {
        {"CAUSEWAY_CHECK", "0", "1"},
        {"CAUSEWAY_STATS", "0", "1"},
        {"CAUSEWAY_STATS", "pes", "1"},
        {"CAUSEWAY_COLL", "broadcast=binomial", "broadcast=scatter"}};
    sim_begin();
    _Atomic int *others = sim_common(sizeof *others);
    const char *const *setting = settings[sim_seed() % (sizeof settings / sizeof *settings)];
    uint32_t other = sim_draw(4) == 0;
    atomic_fetch_add(others, (int)other);
    setenv(setting[0], setting[1 + other], 1);
    shmem_init();
    shmem_barrier_all();
    int n = atomic_load(others);
    SIM_CHECK(n == 0 || n == PES, "%d of %d PEs have another %s than the rest", n, PES, setting[0]);
    shmem_long_broadcast(SHMEM_TEAM_WORLD, &word, &word, 1, 0);
    shmem_finalize();
    sim_end();
}

const sim_scene_t sim_scene = {
    .name = "unlike_settings", .npes = PES, .nnodes = 2, .run = run, .may_fail = 1};
