// SPDX-License-Identifier: BSD-3-Clause
//
// PEs of a node that wait for words of their own, and sleep: a put, an atomic and a signal, each
// from another PE. No wake-up may come by time, but where stores pass later loads: a put has no
// fence between its store and its look for sleepers, whose sleeps are short for that (ADR 3).
#include <shmem.h>

#include "sim.h"

static long word, counter, data;
static uint64_t signal_word;

static void run(void)
{
    shmem_init();
    int me = shmem_my_pe();
    long one = 7;
    shmem_barrier_all();
    sim_begin();
    if (me == 0) {
        shmem_long_wait_until(&word, SHMEM_CMP_EQ, 1);
        shmem_long_atomic_inc(&counter, 1);
        shmem_signal_wait_until(&signal_word, SHMEM_CMP_EQ, 3);
        SIM_CHECK(data == 7, "data is %ld behind its signal", data);
    } else if (me == 1) {
        shmem_long_wait_until(&counter, SHMEM_CMP_EQ, 1);
        shmem_long_put_signal(&data, &one, 1, &signal_word, 3, SHMEM_SIGNAL_SET, 0);
    } else {
        shmem_long_p(&word, 1, 0);
    }
    shmem_barrier_all();
    sim_end();
    shmem_finalize();
}

const sim_scene_t sim_scene = {
    .name = "node_sleep", .npes = 3, .nnodes = 1, .run = run, .timeless = SIM_UNDER_SC};
