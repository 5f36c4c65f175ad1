// SPDX-License-Identifier: BSD-3-Clause
//
// Operations that are collected until the end: finalize executes them, and what sends them for PEs
// that do not is over before the nodes go.
#include <shmem.h>

#include "sim.h"

enum { PES = 2 };
static long sums[PES];

static void epoch(long until)
{
    shmem_init();
    int me = shmem_my_pe();
    for (int i = 0; i < 4; i++)
        shmem_long_atomic_add(&sums[me], 1, (me + 1) % PES);
    for (uint32_t k = sim_draw(4); k > 0; k--)
        sim_yield();
    shmem_finalize();
    int from = (me + PES - 1) % PES;
    SIM_CHECK(sums[from] == until, "PE %d has %ld of PE %d behind finalize", me, sums[from], from);
}

static void run(void)
{
    sim_begin();
    epoch(4);
    sim_end();
}

static const char *const env[] = {"CAUSEWAY_AGGREGATE=on", NULL};
const sim_scene_t sim_scene = {
    .name = "bundles_end", .npes = PES, .nnodes = PES, .run = run, .env = env};
