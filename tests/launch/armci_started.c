// SPDX-License-Identifier: BSD-3-Clause
//
// Programs of ARMCI that leave MPI_Init and MPI_Finalize to the message layer. Arguments: "relies"
// (calls neither), "owns" (both), "leaves" (MPI_Init, and armci_msg_finalize at the end), "late"
// (relies; armci_msg_finalize comes before ARMCI_Finalize), "oshrun" (relies, under oshrun, which
// no MPI knows); "nodes": processes belong to two nodes in turn.
#include <mpi.h>
#include <armci.h>
#include <message.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frame/check.h"

static bool says(int (*ask)(int *))
{
    int flag = 0;
    ask(&flag);
    return flag != 0;
}

static void use(bool with_mpi)
{
    void *blocks[8];
    int me = armci_msg_me(), n = armci_msg_nproc(), rank = me, size = n, sum = 1;
    check_as("process", me, n);
    if (with_mpi) {
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        MPI_Comm_size(MPI_COMM_WORLD, &size);
        MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        CHECK(rank == me && size == n && sum == n, "rank %d of %d", rank, size);
    }
    REQUIRE(ARMCI_Malloc(blocks, 64) == 0);
    ARMCI_PutValueInt(1000 + me, blocks[(me + 1) % n], (me + 1) % n);
    ARMCI_Barrier();
    CHECK(*(int *)blocks[me] == 1000 + (me + n - 1) % n);
    ARMCI_Free(blocks[me]);
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "relies";
    bool owns = strcmp(how, "owns") == 0, leaves = strcmp(how, "leaves") == 0,
         late = strcmp(how, "late") == 0, without = strcmp(how, "oshrun") == 0;
    const char *number = getenv("PMI_RANK") ? getenv("PMI_RANK") : getenv("PMIX_RANK");
    if (argc > 2 && strcmp(argv[2], "nodes") == 0 && number)
        setenv("CAUSEWAY_NODE", atoi(number) % 2 ? "odd" : "even", 1);
    if (owns || leaves)
        MPI_Init(&argc, &argv);
    if (!leaves)
        armci_msg_init(&argc, &argv);
    CHECK(says(MPI_Initialized) == !without);
    REQUIRE(ARMCI_Init_args(&argc, &argv) == 0);
    use(!without);
    int first = armci_msg_me() == 0;
    if (late) {
        armci_msg_finalize();
        CHECK(!says(MPI_Finalized));  // the job is not over
    }
    ARMCI_Finalize();
    CHECK(without || !says(MPI_Finalized));
    if (!late)
        armci_msg_finalize();
    CHECK(without || says(MPI_Finalized) == (!owns && !late));
    if (owns)
        MPI_Finalize();
    int failed = check_result();
    if (!failed && first)
        puts("started");
    return failed;
}
