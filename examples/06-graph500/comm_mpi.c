// SPDX-License-Identifier: BSD-3-Clause
//
// Collectives by MPI, beside OpenSHMEM in the same processes.
#include <mpi.h>
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>

#include "comm.h"

void comm_init(int *argc, char ***argv)
{
    int rank, size;
    MPI_Init(argc, argv);
    shmem_init();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == shmem_my_pe() && size == shmem_n_pes())
        return;
    fprintf(stderr,
            "graph500: rank %d of %d is PE %d of %d: start the program with MPI's launcher\n", rank,
            size, shmem_my_pe(), shmem_n_pes());
    exit(EXIT_FAILURE);
}

void comm_finalize(void)
{
    shmem_finalize();
    MPI_Finalize();
}

// MPI does not know of puts in flight: they are completed first.
void comm_barrier(void)
{
    shmem_quiet();
    MPI_Barrier(MPI_COMM_WORLD);
}

int64_t comm_sum(int64_t mine)
{
    int64_t all;
    MPI_Allreduce(&mine, &all, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    return all;
}

int64_t comm_max(int64_t mine)
{
    int64_t all;
    MPI_Allreduce(&mine, &all, 1, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
    return all;
}

double comm_slowest(double seconds)
{
    double all;
    MPI_Allreduce(&seconds, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return all;
}

void comm_alltoall(int64_t *in, const int64_t *out)
{
    MPI_Alltoall(out, 1, MPI_INT64_T, in, 1, MPI_INT64_T, MPI_COMM_WORLD);
}
