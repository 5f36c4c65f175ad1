// SPDX-License-Identifier: BSD-3-Clause
//
// Start-up, a put and an atomic between nodes, the end, while an allocation fails or descriptors
// have run out, at each place in turn: PEs end well, or say what was not to be had.
#include <shmem.h>

#include "sim.h"

static long word, counter;

static void run(void)
{
    sim_begin();
    shmem_init();
    int me = shmem_my_pe(), npes = shmem_n_pes();
    long *heap = shmem_malloc(64);
    shmem_long_p(&word, 1, (me + 1) % npes);
    shmem_long_atomic_inc(&counter, (me + 1) % npes);
    shmem_barrier_all();
    SIM_CHECK(word == 1 && counter == 1, "the words are %ld and %ld", word, counter);
    shmem_free(heap);
    shmem_finalize();
}

const sim_scene_t sim_scene = {.name = "start_lacks",
                               .npes = 3,
                               .nnodes = 2,
                               .run = run,
                               .most_ns = UINT64_C(300000000000),
                               .faults = SIM_MAY_LACK_MEMORY | SIM_MAY_LACK_FDS};
