// SPDX-License-Identifier: BSD-3-Clause
//
// The C half of coarray.f90: OpenSHMEM and MPI in a job that Fortran's start has begun.
#include <mpi.h>
#include <shmem.h>
#include <stdlib.h>

static long *word;
static int is_up;  // by the library, whose transport MPI is

int half_begin(void)
{
    int given;
    shmem_init();
    MPI_Initialized(&is_up);
    if (!is_up && MPI_Init_thread(NULL, NULL, MPI_THREAD_SINGLE, &given) != MPI_SUCCESS)
        abort();
    word = shmem_calloc(1, sizeof *word);
    if (!word)
        abort();
    return shmem_my_pe();
}

int half_mpi_rank(void)
{
    int rank = -1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank;
}

void half_put(int pe, long value)
{
    shmem_long_p(word, value, pe);
}

/** Not a value of a round to come: a barrier of all images is between them. */
long half_await(long value)
{
    shmem_long_wait_until(word, SHMEM_CMP_GE, value);
    return *word;
}

long half_mpi_sum(long value)
{
    long sum = -1;
    MPI_Allreduce(&value, &sum, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    return sum;
}

void half_add_to(long *counted, int pe)
{
    shmem_long_atomic_inc(counted, pe);
}

void half_end(void)
{
    shmem_free(word);
    shmem_finalize();
    if (!is_up || getenv("COARRAY_FINALIZES"))
        MPI_Finalize();
}
