// SPDX-License-Identifier: BSD-3-Clause
//
// Operations that are collected by a PE which makes no call any more until they have arrived: the
// flusher sends them, whenever it went to sleep.
#include <shmem.h>

#include "sim.h"

enum { ROUNDS = 4, MOST = 6 };
static long sum, reply;

static void add(void)
{
    for (long v = 1; v <= ROUNDS; v++) {
        for (uint32_t k = 1 + sim_draw(MOST); k > 0; k--)
            shmem_long_atomic_inc(&sum, 1);
        shmem_long_atomic_add(&sum, 1000, 1);
        while (__atomic_load_n(&reply, __ATOMIC_ACQUIRE) != v)
            sim_look_again();
    }
}

static void answer(void)
{
    for (long v = 1; v <= ROUNDS; v++) {
        shmem_long_wait_until(&sum, SHMEM_CMP_GE, 1000 * v);
        shmem_long_p(&reply, v, 0);
        shmem_quiet();
    }
}

static void run(void)
{
    shmem_init();
    shmem_barrier_all();
    sim_begin();
    if (shmem_my_pe() == 0)
        add();
    else
        answer();
    sim_end();
    shmem_finalize();
}

static const char *const env[] = {"CAUSEWAY_AGGREGATE=on", NULL};
const sim_scene_t sim_scene = {
    .name = "left_bundles", .npes = 2, .nnodes = 2, .run = run, .env = env};
