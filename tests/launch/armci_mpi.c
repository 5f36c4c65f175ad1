// SPDX-License-Identifier: BSD-3-Clause
//
// ARMCI beside MPI, as Global Arrays uses it: an MPI that is initialised, its communicator given or
// not, MPI's calls between operations, communicators of groups. Arguments: "comm" (a duplicate of
// MPI_COMM_WORLD is given), "plain", "early" (before MPI_Init); "nodes": processes belong to two
// nodes in turn.
#include <mpi.h>
#include <armci.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frame/check.h"

static int me, nprocs;

/** Gets of what a process put that sits in MPI_Barrier already. */
static void between(void)
{
    void *blocks[16];
    double sum = me, all = 0;
    REQUIRE(ARMCI_Malloc(blocks, 64) == 0);
    for (int turn = 0; turn < 20; turn++) {
        int next = (me + 1) % nprocs, before = (me + nprocs - 1) % nprocs;
        ARMCI_PutValueInt(100 * turn + me, blocks[next], next);
        ARMCI_Fence(next);
        MPI_Barrier(MPI_COMM_WORLD);
        CHECK(*(int *)blocks[me] == 100 * turn + before);
        MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        CHECK(all == nprocs * (nprocs - 1) / 2);
        if (me == 0)
            MPI_Barrier(MPI_COMM_WORLD);  // the others need nothing of this process
        CHECK(ARMCI_GetValueInt(blocks[0], 0) == 100 * turn + nprocs - 1);
        if (me != 0)
            MPI_Barrier(MPI_COMM_WORLD);
        armci_msg_igop(&turn, 1, "max");
    }
    ARMCI_Free(blocks[me]);
}

static void communicators(MPI_Comm given)
{
    ARMCI_Group world, odd;
    int list[16], n = 0, result, rank, size;
    ARMCI_Group_get_world(&world);
    MPI_Comm comm = armci_group_comm(&world);
    CHECK(given == MPI_COMM_NULL || comm == given);
    MPI_Comm_compare(comm, MPI_COMM_WORLD, &result);
    CHECK(result == MPI_CONGRUENT || result == MPI_IDENT);
    for (int proc = nprocs - 1; proc >= 0; proc--)
        if (proc % 2 || nprocs == 1)
            list[n++] = proc;
    for (int round = 0; round < 3; round++) {
        ARMCI_Group_create(n, list, &odd);
        if (ARMCI_Group_rank(&odd, &rank))
            continue;
        int mine = -1, sum = 0, want = 0;
        comm = armci_group_comm(&odd);
        MPI_Comm_rank(comm, &mine);
        MPI_Comm_size(comm, &size);
        CHECK(mine == rank && size == n);
        MPI_Allreduce(&me, &sum, 1, MPI_INT, MPI_SUM, comm);
        for (int i = 0; i < n; i++)
            want += list[i];
        CHECK(sum == want && armci_group_comm(&odd) == comm);
        ARMCI_Group_free(&odd);
    }
}

/** Further initialisations are counted, whichever call each is. */
static void join_again(MPI_Comm comm)
{
    CHECK(PARMCI_Init_mpi_comm(comm) == 1 && ARMCI_Init_thread_comm(0, comm) == 0);
    CHECK(PARMCI_Init_thread_comm(0, comm) == 0);
    armci_msg_init_comm(comm);
    for (int i = 0; i < 3; i++)
        CHECK(ARMCI_Finalize() == 0 && ARMCI_Initialized());
    armci_msg_finalize();
    CHECK(ARMCI_Initialized() && armci_msg_nproc() == nprocs);
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "plain";
    MPI_Comm comm = MPI_COMM_NULL;
    if (strcmp(how, "early") == 0)
        return ARMCI_Init_mpi_comm(comm) ? 0 : 5;
    const char *number = getenv("PMI_RANK") ? getenv("PMI_RANK") : getenv("PMIX_RANK");
    if (argc > 2 && strcmp(argv[2], "nodes") == 0 && number)
        setenv("CAUSEWAY_NODE", atoi(number) % 2 ? "odd" : "even", 1);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &nprocs);
    check_as("process", me, nprocs);
    if (strcmp(how, "comm") == 0) {
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        REQUIRE(ARMCI_Init_mpi_comm(comm) == 1);
        join_again(comm);
    } else {
        REQUIRE(ARMCI_Init() == 0);
    }
    CHECK(armci_msg_me() == me && armci_msg_nproc() == nprocs);
    between();
    communicators(comm);
    ARMCI_Finalize();
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    int failed = check_result();
    if (!failed && me == 0)
        puts("armci beside mpi");
    return failed;
}
