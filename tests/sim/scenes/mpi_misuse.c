// SPDX-License-Identifier: BSD-3-Clause
//
// A PE ends the MPI while the library needs it: the job ends with a message, at any time.
#include <dlfcn.h>
#include <shmem.h>

#include "sim.h"

static long word;

static void run(void)
{
    int (*finalize)(void) = NULL;
    *(void **)&finalize = dlsym(RTLD_DEFAULT, "MPI_Finalize");
    sim_begin();
    shmem_init();
    int me = shmem_my_pe();
    shmem_long_p(&word, 1, 1 - me);
    if (me == (int)sim_setting(0, 2)) {
        finalize();
        SIM_CHECK(0, "MPI_Finalize returns");
    }
    shmem_barrier_all();
    SIM_CHECK(0, "PE %d has passed a barrier", me);
}

static const char *const env[] = {"SIM_MPI=1", "CAUSEWAY_TRANSPORT=mpi", NULL};
const sim_scene_t sim_scene = {
    .name = "mpi_misuse", .npes = 2, .nnodes = 2, .run = run, .env = env, .may_fail = 1};
