// SPDX-License-Identifier: BSD-3-Clause
//
// A network card writes without an event at the target. A PE that sleeps for long finds out late at
// first, by the time-out of its sleep; from then on the node server compares what it waits for, and
// wakes it.
#include <shmem.h>
#include <time.h>

#include "sim.h"

enum { FLAGS = 12, SEEN = 6, PAUSE_NS = 25000000, LATE_NS = 2500000 };
static long flags[FLAGS];

static void run(void)
{
    shmem_init();
    int me = shmem_my_pe();
    shmem_barrier_all();
    sim_begin();
    for (int i = 0; i < FLAGS; i++) {
        if (me == 0) {
            nanosleep(&(struct timespec){.tv_nsec = PAUSE_NS}, NULL);
            shmem_long_p(&flags[i], (long)sim_now_ns(), 1);
            shmem_quiet();
        } else {
            shmem_long_wait_until(&flags[i], SHMEM_CMP_NE, 0);
            long late = (long)sim_now_ns() - flags[i];
            SIM_CHECK(i < SEEN || late < LATE_NS, "flag %d is seen %ld us late", i, late / 1000);
        }
    }
    shmem_barrier_all();
    sim_end();
    shmem_finalize();
}

static const char *const env[] = {"SIM_CARD=1", NULL};
const sim_scene_t sim_scene = {.name = "cards", .npes = 2, .nnodes = 2, .run = run, .env = env};
