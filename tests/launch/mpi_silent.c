// SPDX-License-Identifier: BSD-3-Clause
//
// A PE without MPI's threads is in calls of MPI longer than CAUSEWAY_TIMEOUT, while the other node
// waits for a reply of its server, which comes when the PE waits in the library.
#include <mpi.h>
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>

#include "frame/check.h"

static long counter;

int main(void)
{
    const char *rank = getenv("PMI_RANK") ? getenv("PMI_RANK") : getenv("PMIX_RANK");
    setenv("CAUSEWAY_NODE", rank && atoi(rank) % 2 ? "odd" : "even", 1);
    MPI_Init(NULL, NULL);
    shmem_init();
    int me = shmem_my_pe();
    shmem_barrier_all();
    if (me == 0) {
        CHECK(shmem_long_atomic_fetch_add(&counter, 7, 1) == 0, "an atomic of a node in MPI");
    } else {
        double until = MPI_Wtime() + 4;
        int there;
        while (MPI_Wtime() < until)
            MPI_Iprobe(0, 1, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
    }
    shmem_barrier_all();
    CHECK(me == 0 || counter == 7, "the atomic was made");
    shmem_finalize();
    MPI_Finalize();
    if (me == 0 && !check_result())
        puts("replied in the end");
    return check_result();
}
