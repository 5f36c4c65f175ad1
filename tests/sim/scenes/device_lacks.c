// SPDX-License-Identifier: BSD-3-Clause
//
// A device heap and a handle of kernels that some PE has no memory, no descriptor or no thread for:
// all PEs have both, or none has, and without them the job goes on.
#include <shmem.h>
#include <shmemx.h>

#include "device.h"

enum { PES = 3 };
static cwd_world_t world;
static uint64_t sum, failures[PES];
static int me;

/** The same on all PEs: failed on all, or on none. */
static int all_have(int rc)
{
    for (int pe = 0; pe < PES; pe++)
        shmem_uint64_p(&failures[me], rc != 0, pe);
    shmem_barrier_all();
    for (int pe = 0; pe < PES; pe++)
        SIM_CHECK(failures[pe] == failures[me], "PE %d has it, PE %d has not",
                  failures[pe] ? me : pe, failures[pe] ? pe : me);
    shmem_barrier_all();
    return rc == 0;
}

static void run(void)
{
    int provided;
    shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided);
    me = shmem_my_pe();
    shmem_barrier_all();
    sim_begin();
    if (all_have(shmemx_device_heap(65536)) && all_have(shmemx_device_world(&world))) {
        (void)cwd_uint64_atomic_fetch_inc(&world, &sum, (me + 1) % PES);
        shmem_barrier_all();
        SIM_CHECK(sum == 1, "%d", (int)sum);
        shmemx_device_world_end();
    }
    shmem_barrier_all();
    sim_end();
    shmem_finalize();
}

const sim_scene_t sim_scene = {.name = "device_lacks",
                               .npes = PES,
                               .nnodes = 2,
                               .run = run,
                               .most_ns = UINT64_C(300000000000),
                               .faults = SIM_MAY_LACK_MEMORY | SIM_MAY_LACK_FDS};
