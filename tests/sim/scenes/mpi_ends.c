// SPDX-License-Identifier: BSD-3-Clause
//
// Starts and ends over an MPI that the program ends: behind the library's finalize, of one epoch or
// two; or never, where the process ends without finalize, too.
#include <dlfcn.h>
#include <shmem.h>

#include "sim.h"

enum { PES = 3 };
static long word, counter;

static void epoch(long value)
{
    shmem_init();
    int me = shmem_my_pe();
    if (me == 0 || sim_draw(2))
        shmem_long_p(&word, value, (me + 1) % PES);
    shmem_long_atomic_inc(&counter, (me + 1) % PES);
    if (sim_draw(2))
        usleep(sim_draw(2000));
}

static void leave(long value)
{
    int me = shmem_my_pe();
    shmem_finalize();
    if (me == 1)
        SIM_CHECK(word == value, "the word is %ld behind finalize %ld", word, value);
    SIM_CHECK(counter == value, "counted are %ld behind finalize %ld", counter, value);
}

static void run(void)
{
    int (*finalize)(void) = NULL;
    *(void **)&finalize = dlsym(RTLD_DEFAULT, "MPI_Finalize");
    sim_begin();
    epoch(1);
    if (sim_setting(0, 3) == 0)
        return;
    leave(1);
    if (sim_setting(0, 3) == 1) {
        epoch(2);
        leave(2);
    }
    finalize();
    sim_end();
}

static const char *const env[] = {"SIM_MPI=1", "CAUSEWAY_TRANSPORT=mpi", NULL};
const sim_scene_t sim_scene = {
    .name = "mpi_ends", .npes = PES, .nnodes = 2, .run = run, .env = env, .most_steps = 30000000};
