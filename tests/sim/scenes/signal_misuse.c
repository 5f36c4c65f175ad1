// SPDX-License-Identifier: BSD-3-Clause
//
// In checking mode the handler of a signal puts: the job ends with a message.
#include <shmem.h>
#include <signal.h>

#include "sim.h"

static long word;

static void on_signal(int signo)
{
    (void)signo;
    shmem_long_p(&word, 1, 1);
    SIM_CHECK(0, "a call of a signal's handler has returned");
}

static void run(void)
{
    shmem_init();
    shmem_barrier_all();
    signal(SIGUSR1, on_signal);
    sim_begin();
    if (shmem_my_pe() == 0)
        raise(SIGUSR1);
    shmem_barrier_all();
    sim_end();
    shmem_finalize();
}

static const char *const env[] = {"CAUSEWAY_CHECK=1", NULL};
const sim_scene_t sim_scene = {
    .name = "signal_misuse", .npes = 2, .nnodes = 1, .run = run, .env = env, .may_fail = 1};
