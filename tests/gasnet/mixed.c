// SPDX-License-Identifier: BSD-3-Clause
//
// OpenSHMEM and GASNet in one process. With an argument OpenSHMEM is initialised first. Both number
// processes alike, and each reaches the other's memory: GASNet the symmetric heap and static data
// of OpenSHMEM, OpenSHMEM a GASNet segment where it is symmetric.
#define EVERY_MAIN
#include "every.h"
#include <shmem.h>

static long counter, flags[64];

int main(int argc, char **argv)
{
    int provided, shmem_first = argc > 1;
    if (shmem_first)
        shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided);
    GASNET_Safe(gasnet_init(&argc, &argv));
    if (!shmem_first)
        shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided);
    every_attach(NULL, 0, SEGMENT);
    CHECK((int)me == shmem_my_pe() && (int)nodes == shmem_n_pes(), "numbers differ");
    // OpenSHMEM: static data is symmetric
    for (unsigned i = 0; i < nodes; i++)
        shmem_long_atomic_add(&counter, me + 1, (int)i);
    shmem_barrier_all();
    CHECK(counter == (long)(nodes * (nodes + 1) / 2), "counter is %ld", counter);
    // GASNet puts, OpenSHMEM waits: at the address that the neighbour has reported for its
    // variable.
    long *there = shmem_malloc(64 * sizeof *there),
         *addresses = shmem_malloc(64 * sizeof *addresses);
    memset(there, 0, 64 * sizeof *there);
    shmem_barrier_all();
    for (unsigned i = 0; i < nodes; i++)
        shmem_long_p(&addresses[me], (long)(uintptr_t)there, (int)i);
    shmem_barrier_all();
    for (long round = 1; round <= 20; round++) {
        gasnet_put_val(next, (void *)(uintptr_t)(addresses[next] + 8),
                       (gasnet_register_value_t)round, 8);
        shmem_long_wait_until(&there[1], SHMEM_CMP_GE, round);
    }
    // OpenSHMEM puts into the segment, which is at one offset in all of them; GASNet reads it
    // there.
    char *segment = segments[me].addr;
    long *mine_there = (long *)(void *)segment;
    shmem_barrier_all();
    shmem_long_p(&mine_there[3], 1000 + (long)me, (int)next);
    shmem_quiet();
    long got = 0;
    gasnet_get(&got, next, (long *)segments[next].addr + 3, 8);
    CHECK(got == 1000 + (long)me, "GASNet reads %ld", got);
    barrier();
    CHECK(mine_there[3] == 1000 + (long)prev, "the segment has %ld", mine_there[3]);
    shmem_long_atomic_inc(&flags[me % 64], (int)next);
    shmem_barrier_all();
    CHECK(flags[prev % 64] == 1, "flag is %ld", flags[prev % 64]);
    shmem_free(addresses);
    shmem_free(there);
    shmem_finalize();
    barrier();  // waits in GASNet
    every_end("mixed");
}
