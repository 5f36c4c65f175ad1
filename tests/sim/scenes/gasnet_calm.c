// SPDX-License-Identifier: BSD-3-Clause
//
// A flood of implicit puts of GASNet to another node ends, and many single ones follow, each of
// which is waited for: all are there. By a provider of software, where floods are collected.
#define GASNET_SEQ 1
#include <stdlib.h>

#include "gasnet_scene.h"
#include "sim.h"

enum { MOST = 40, CALM = 44, SEGMENT = 65536 };
static long *there;

static void check(int i, long value)
{
    const long seen = (long)gasnet_get_val(1, there + i, sizeof seen);
    SIM_CHECK(seen == value, "word %d is %ld, not %ld", i, seen, value);
}

static void put(int i, long value)
{
    gasnet_put_nbi_val(1, there + i, (gasnet_register_value_t)value, sizeof value);
}

static void run(void)
{
    gasnet_seginfo_t segments[2];
    setenv("SIM_PROVIDER", "lnx", 1);
    setenv("CAUSEWAY_PROVIDER", "lnx", 1);
    scene_attach(NULL, 0, SEGMENT);
    gasnet_getSegmentInfo(segments, 2);
    there = segments[1].addr;
    scene_barrier();
    sim_begin();
    for (int i = 0; i < MOST && gasnet_mynode() == 0; i++)
        put(i, i);
    gasnet_wait_syncnbi_puts();
    for (int i = 0; i < CALM && gasnet_mynode() == 0; i++) {
        put(i % MOST, 1000 + i);
        if (sim_draw(2))
            put((i + 1) % MOST, 2000 + i);
        gasnet_wait_syncnbi_puts();
        check(i % MOST, 1000 + i);
    }
    scene_barrier();
    sim_end();
    gasnet_exit(0);
}

const sim_scene_t sim_scene = {
    .name = "gasnet_calm", .npes = 2, .nnodes = 2, .run = run, .most_steps = 64000000};
