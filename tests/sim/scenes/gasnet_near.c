// SPDX-License-Identifier: BSD-3-Clause
//
// Implicit puts within a node: who sees a flag that is put when a wait, or a test, has said that
// they are complete, sees them.
#define GASNET_PAR 1
#include "gasnet_scene.h"
#include "sim.h"

enum { ROUNDS = 6, LOOKS = 8 };
enum { WAIT, TEST, KINDS };
static long *words[2];

static void write_in_order(int kind)
{
    for (long round = 1; round <= ROUNDS; round++) {
        gasnet_put_nbi(1, &words[1][0], &round, sizeof round);
        if (kind == WAIT)
            gasnet_wait_syncnbi_puts();
        else
            while (gasnet_try_syncnbi_puts() != GASNET_OK)
                sim_yield();
        gasnet_put_nbi(1, &words[1][8], &round, sizeof round);
    }
}

static void look(void)
{
    for (int i = 0; i < LOOKS; i++) {
        long flag = __atomic_load_n(&words[1][8], __ATOMIC_ACQUIRE);
        long data = __atomic_load_n(&words[1][0], __ATOMIC_RELAXED);
        SIM_CHECK(data >= flag, "behind the flag of round %ld the data are %ld", flag, data);
        sim_yield();
    }
}

static void run(void)
{
    int kind = (int)sim_setting(0, KINDS);
    gasnet_seginfo_t segments[2];
    scene_attach(NULL, 0, 65536);
    gasnet_getSegmentInfo(segments, 2);
    for (int i = 0; i < 2; i++)
        words[i] = segments[i].addr;
    scene_barrier();
    sim_begin();
    if (gasnet_mynode() == 0)
        write_in_order(kind);
    else
        look();
    scene_barrier();
    sim_end();
    gasnet_exit(0);
}

const sim_scene_t sim_scene = {.name = "gasnet_near", .npes = 2, .nnodes = 1, .run = run};
