// SPDX-License-Identifier: BSD-3-Clause
//
// Collectives of an active set over three nodes, of all PEs but one, through psync arrays that are
// used again: blocks of equal and of different sizes, reductions, broadcasts and exchanges, entered
// early and late. What a PE puts before a barrier of the set is there behind it.
#include <shmem.h>

#include "sim.h"

enum { PES = 4, ALL = 5, ROUNDS = 2, MOST = 600 };
static long psync[6][SHMEM_ALLTOALL_SYNC_SIZE + SHMEM_REDUCE_SYNC_SIZE + SHMEM_COLLECT_SYNC_SIZE];
static long work[MOST + SHMEM_REDUCE_MIN_WRKDATA_SIZE];
static long source[PES * MOST], dest[PES * MOST], word;

static void fill(int n, long value)
{
    for (int i = 0; i < n; i++)
        source[i] = value + i;
}

static void check(const long *at, int n, long value, const char *what)
{
    SIM_CHECK(at[0] == value && at[n - 1] == value + n - 1, "%s gives %ld and %ld, not %ld", what,
              at[0], at[n - 1], value);
}

static void collect(int me, int n, long value)
{
    const int mine = n + me;
    fill(mine, value + 1000 * me);
    shmem_collect64(dest, source, (size_t)mine, 0, 0, PES, psync[0]);
    for (int pe = 0, at = 0; pe < PES; at += n + pe, pe++)
        check(dest + at, n + pe, value + 1000 * pe, "collect");
    fill(n, value + 1000 * me);
    shmem_fcollect64(dest, source, (size_t)n, 0, 0, PES, psync[1]);
    for (int pe = 0; pe < PES; pe++)
        check(dest + n * pe, n, value + 1000 * pe, "fcollect");
}

static void reduce(int me, int n, long value)
{
    for (int i = 0; i < n; i++)
        source[i] = value + me;
    shmem_long_sum_to_all(dest, source, n, 0, 0, PES, work, psync[2]);
    const long sum = PES * value + PES * (PES - 1) / 2;
    SIM_CHECK(dest[0] == sum && dest[n - 1] == sum, "the sums are %ld and %ld, not %ld", dest[0],
              dest[n - 1], sum);
}

static void broadcast(int me, int n, int root, long value)
{
    fill(n, me == root ? value : -1);
    shmem_broadcast64(dest, source, (size_t)n, root, 0, 0, PES, psync[3]);
    if (me != root)
        check(dest, n, value, "broadcast");
}

static void exchange(int me, int n, long value)
{
    for (int pe = 0; pe < PES; pe++)
        for (int i = 0; i < n; i++)
            source[pe * n + i] = value + 1000 * me + 100 * pe + i;
    shmem_alltoall64(dest, source, (size_t)n, 0, 0, PES, psync[4]);
    for (int pe = 0; pe < PES; pe++)
        check(dest + pe * n, n, value + 1000 * pe + 100 * me, "alltoall");
}

static void run(void)
{
    for (size_t i = 0; i < sizeof psync / sizeof **psync; i++)
        psync[0][i] = SHMEM_SYNC_VALUE;
    shmem_init();
    int me = shmem_my_pe(), n = sim_setting(0, 2) ? 2 : MOST - PES;
    shmem_barrier_all();
    sim_begin();
    for (long round = 1; round <= ROUNDS && me < PES; round++) {
        collect(me, n, 10 * round);
        reduce(me, n, round);
        broadcast(me, n, (int)round % PES, 20 * round);
        exchange(me, n, 30 * round);
        shmem_long_p(&word, round, (me + 1) % PES);
        shmem_barrier(0, 0, PES, psync[5]);
        SIM_CHECK(word == round, "the word is %ld behind barrier %ld", word, round);
    }
    shmem_barrier_all();
    sim_end();
    shmem_finalize();
}

const sim_scene_t sim_scene = {
    .name = "set_collectives", .npes = ALL, .nnodes = 3, .run = run, .most_steps = 64000000};
