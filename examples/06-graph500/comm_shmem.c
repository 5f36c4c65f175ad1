// SPDX-License-Identifier: BSD-3-Clause
//
// Collectives by OpenSHMEM. Their operands must be symmetric, so each value goes through a
// symmetric word.
#include <shmem.h>
#include <stdlib.h>
#include <string.h>

#include "comm.h"

static int64_t mine_i, all_i, *to, *from;  // symmetric
static double mine_d, all_d;               // symmetric

void comm_init(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    shmem_init();
    to = shmem_malloc((size_t)shmem_n_pes() * sizeof *to);
    from = shmem_malloc((size_t)shmem_n_pes() * sizeof *from);
    if (!to || !from)
        shmem_global_exit(EXIT_FAILURE);
}

void comm_finalize(void)
{
    shmem_free(from);
    shmem_free(to);
    shmem_finalize();
}

void comm_barrier(void)
{
    shmem_barrier_all();
}

// A reduction must not begin before all PEs have read the result of the last one; the barrier keeps
// them apart.
int64_t comm_sum(int64_t mine)
{
    mine_i = mine;
    shmem_barrier_all();
    shmem_int64_sum_reduce(SHMEM_TEAM_WORLD, &all_i, &mine_i, 1);
    return all_i;
}

int64_t comm_max(int64_t mine)
{
    mine_i = mine;
    shmem_barrier_all();
    shmem_int64_max_reduce(SHMEM_TEAM_WORLD, &all_i, &mine_i, 1);
    return all_i;
}

double comm_slowest(double seconds)
{
    mine_d = seconds;
    shmem_barrier_all();
    shmem_double_max_reduce(SHMEM_TEAM_WORLD, &all_d, &mine_d, 1);
    return all_d;
}

void comm_alltoall(int64_t *in, const int64_t *out)
{
    size_t nbytes = (size_t)shmem_n_pes() * sizeof *out;
    memcpy(to, out, nbytes);
    shmem_barrier_all();
    shmem_int64_alltoall(SHMEM_TEAM_WORLD, from, to, 1);
    memcpy(in, from, nbytes);
}
