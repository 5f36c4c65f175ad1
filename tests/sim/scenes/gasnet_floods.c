// SPDX-License-Identifier: BSD-3-Clause
//
// Implicit puts of GASNet, single ones and floods, waited for, or tested for while younger ones are
// begun; memory that is set at another node; indexed gets. What a wait or a test says is complete
// is there.
#define GASNET_SEQ 1
#include <stdlib.h>

#include "gasnet_scene.h"
#include "sim.h"

enum { LOTS = 6, MOST = 24, WORDS = 64, SEGMENT = 65536 };
static long *there;

static void put_lot(int n, long value)
{
    for (int i = 0; i < n; i++)
        if (sim_draw(2))
            gasnet_put_nbi_val(1, there + i, (gasnet_register_value_t)(value + i), sizeof value);
        else
            gasnet_put_nbi(1, there + i, &(long){value + i}, sizeof value);
}

static void check(int n, long value)
{
    long seen[MOST];
    void *from[MOST], *into = seen;
    for (int i = 0; i < n; i++)
        from[i] = there + i;
    gasnet_geti_bulk(1, &into, (size_t)n * sizeof *seen, 1, (size_t)n, from, sizeof *seen);
    for (int i = 0; i < n; i++)
        SIM_CHECK(seen[i] == value + i, "word %d is %ld, not %ld", i, seen[i], value + i);
}

/** Until a test for all says so, of which each begins another put. */
static void test_behind_younger(long value)
{
    gasnet_put_nbi(1, there, &value, sizeof value);
    for (int i = 1; gasnet_try_syncnbi_all() != GASNET_OK; i++)
        gasnet_put_nbi(1, there + MOST + i % 8, &value, sizeof value);
    long seen = (long)gasnet_get_val(1, there, sizeof seen);
    SIM_CHECK(seen == value, "a put that is complete left %ld, not %ld", seen, value);
    gasnet_wait_syncnbi_all();
}

static void send_lots(void)
{
    static const int lengths[] = {1, 1, 2, MOST};
    for (long lot = 1; lot <= LOTS; lot++) {
        int n = lot == 1 ? MOST : lengths[sim_draw(4)];
        put_lot(n, 1000 * lot);
        gasnet_wait_syncnbi_puts();
        check(n, 1000 * lot);
        if (lot % 3 == 0)
            test_behind_younger(lot);
    }
    gasnet_memset(1, there, 0x11, MOST * sizeof *there);
    long seen = (long)gasnet_get_val(1, there + MOST - 1, sizeof seen);
    SIM_CHECK(seen == 0x1111111111111111, "memory that was set is %lx", (unsigned long)seen);
}

static void run(void)
{
    gasnet_seginfo_t segments[2];
    setenv("CAUSEWAY_AGGREGATE", sim_setting(0, 2) ? "on" : "auto", 1);
    scene_attach(NULL, 0, SEGMENT);
    gasnet_getSegmentInfo(segments, 2);
    there = segments[1].addr;
    scene_barrier();
    sim_begin();
    if (gasnet_mynode() == 0)
        send_lots();
    scene_barrier();
    sim_end();
    gasnet_exit(0);
}

const sim_scene_t sim_scene = {
    .name = "gasnet_floods", .npes = 2, .nnodes = 2, .run = run, .most_steps = 64000000};
