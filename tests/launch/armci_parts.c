// SPDX-License-Identifier: BSD-3-Clause
//
// Jobs of ARMCI over parts of MPI_COMM_WORLD, one after the other in the same processes: halves at
// the same time, all, every second one in reverse order, halves again. Arguments: "nodes"
// (processes belong to two nodes in turn), "twice" (a second communicator in the middle of a job is
// refused), "null" (so is MPI_COMM_NULL).
#include <mpi.h>
#include <armci.h>
#include <message.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frame/check.h"

static int rank, size;

/** A group of the job's processes but the first, and its communicator. */
static void group(int me, int n)
{
    ARMCI_Group rest;
    int list[16], grank = -1, crank = -1, sum = 1;
    for (int i = 1; i < n; i++)
        list[i - 1] = i;
    if (n == 1 || me == 0)
        return;
    ARMCI_Group_create(n - 1, list, &rest);
    ARMCI_Group_rank(&rest, &grank);
    MPI_Comm comm = armci_group_comm(&rest);
    MPI_Comm_rank(comm, &crank);
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_SUM, comm);
    CHECK(grank == me - 1 && crank == grank && sum == n - 1, "rank %d, %d in the communicator",
          grank, crank);
    ARMCI_Group_free(&rest);
}

static void job(MPI_Comm comm)
{
    void *blocks[16];
    int me = -1, n = -1, sum = rank, want = 0, mine = rank;
    MPI_Comm_rank(comm, &me);
    MPI_Comm_size(comm, &n);
    MPI_Allreduce(&mine, &want, 1, MPI_INT, MPI_SUM, comm);
    CHECK(armci_msg_me() == me && armci_msg_nproc() == n, "process %d of %d", armci_msg_me(),
          armci_msg_nproc());
    armci_msg_igop(&sum, 1, (char *)"+");
    CHECK(sum == want, "ranks sum to %d, not %d", sum, want);
    REQUIRE(ARMCI_Malloc(blocks, 1 << 16) == 0);
    int next = (me + 1) % n, before = (me + n - 1) % n, theirs = -1;
    ARMCI_PutValueInt(1000 + me, blocks[next], next);
    ARMCI_Barrier();
    CHECK(*(int *)blocks[me] == 1000 + before, "%d", *(int *)blocks[me]);
    MPI_Sendrecv(&mine, 1, MPI_INT, next, 0, &theirs, 1, MPI_INT, before, 0, comm,
                 MPI_STATUS_IGNORE);
    CHECK(ARMCI_GetValueInt(blocks[before], before) == 1000 + (before + n - 1) % n);
    group(me, n);
    ARMCI_Barrier();
    ARMCI_Free(blocks[me]);
}

/** Global Arrays also calls ARMCI_Init, and ends once; others may end twice. */
static void over(MPI_Comm comm, int inits, int finalizes)
{
    REQUIRE(ARMCI_Init_mpi_comm(comm) == 1);
    if (inits > 1)
        REQUIRE(ARMCI_Init() == 0);
    job(comm);
    for (int i = 0; i < finalizes; i++)
        CHECK(ARMCI_Finalize() == 0 && !ARMCI_Initialized());
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "";
    const char *number = getenv("PMI_RANK") ? getenv("PMI_RANK") : getenv("PMIX_RANK");
    if (strcmp(how, "nodes") == 0 && number)
        setenv("CAUSEWAY_NODE", atoi(number) % 2 ? "odd" : "even", 1);
    MPI_Comm half, odd;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    check_as("process", rank, size);
    MPI_Comm_split(MPI_COMM_WORLD, rank < size / 2, rank, &half);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &odd);
    if (strcmp(how, "null") == 0)
        return ARMCI_Init_mpi_comm(MPI_COMM_NULL) ? 0 : 5;
    if (strcmp(how, "twice") == 0)
        return ARMCI_Init_mpi_comm(half) && ARMCI_Init_mpi_comm(MPI_COMM_WORLD) ? 0 : 5;
    over(half, 2, 1);
    MPI_Barrier(MPI_COMM_WORLD);
    REQUIRE(ARMCI_Init() == 0);
    job(MPI_COMM_WORLD);
    ARMCI_Finalize();
    over(odd, 2, 2);
    if (rank < size / 2)
        over(half, 2, 1);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    int failed = check_result();
    if (!failed && rank == 0)
        puts("parts");
    return failed;
}
