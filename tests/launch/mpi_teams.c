// SPDX-License-Identifier: BSD-3-Clause
//
// Teams from communicators and communicators from teams: same members, same order, and both work.
// Arguments: "nodes": PEs belong to two nodes in turn; "multiple": THREAD_MULTIPLE; "late": MPI is
// initialised second.
#include <mpi.h>
#include <shmem.h>
#include <shmemx.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frame/check.h"

enum { MOST = 16 };

static long mine, all[MOST], sum, cell[MOST];
static int me, npes;

/** Checks that the team matches the communicator, and that it moves data. */
static void compare(shmem_team_t team, MPI_Comm comm)
{
    int rank, size, expect[MOST];
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    MPI_Allgather(&me, 1, MPI_INT, expect, 1, MPI_INT, comm);
    CHECK(shmem_team_my_pe(team) == rank && shmem_team_n_pes(team) == size);
    long total = 0;
    for (int r = 0; r < size; r++) {
        CHECK(shmem_team_translate_pe(team, r, SHMEM_TEAM_WORLD) == expect[r]);
        CHECK(shmem_team_translate_pe(SHMEM_TEAM_WORLD, expect[r], team) == r);
        total += expect[r] + 1;
    }
    mine = me + 1;
    CHECK(shmem_long_fcollect(team, all, &mine, 1) == 0);
    for (int r = 0; r < size; r++)
        CHECK(all[r] == expect[r] + 1);
    CHECK(shmem_long_sum_reduce(team, &sum, &mine, 1) == 0 && sum == total);
    shmem_ctx_t ctx;
    CHECK(shmem_team_create_ctx(team, 0, &ctx) == 0);
    for (int r = 0; r < size; r++)
        shmem_ctx_long_p(ctx, &cell[rank], 1000 * me + r, r);
    shmem_ctx_quiet(ctx);
    CHECK(shmem_team_sync(team) == 0);
    for (int r = 0; r < size; r++)
        CHECK(cell[r] == 1000L * expect[r] + rank);
    CHECK(shmem_ctx_long_atomic_fetch(ctx, &cell[rank], (rank + 1) % size) ==
          1000L * me + (rank + 1) % size);
    shmem_ctx_destroy(ctx);
    shmem_team_sync(team);
}

static void from_comm(MPI_Comm comm)
{
    shmem_team_t team = SHMEM_TEAM_WORLD;
    CHECK(shmemx_team_from_mpi_comm(comm, &team) == 0);
    if (comm == MPI_COMM_NULL) {
        CHECK(team == SHMEM_TEAM_INVALID);
        return;
    }
    CHECK(team != SHMEM_TEAM_INVALID && team != SHMEM_TEAM_WORLD);
    compare(team, comm);
    shmem_team_destroy(team);
}

static void from_split(int color, int key)
{
    MPI_Comm comm;
    MPI_Comm_split(MPI_COMM_WORLD, color, key, &comm);
    from_comm(comm);
    if (comm != MPI_COMM_NULL)
        MPI_Comm_free(&comm);
}

static void from_team(shmem_team_t team)
{
    MPI_Comm comm = MPI_COMM_NULL;
    if (team == SHMEM_TEAM_INVALID) {
        CHECK(shmemx_mpi_comm_from_team(team, &comm) != 0);
        return;
    }
    CHECK(shmemx_mpi_comm_from_team(team, &comm) == 0 && comm != MPI_COMM_NULL);
    compare(team, comm);
    MPI_Comm_free(&comm);
}

static void start(int argc, char **argv)
{
    int multiple = 0, nodes = 0, late = 0, level;
    for (int i = 1; i < argc; i++) {
        multiple = multiple || !strcmp(argv[i], "multiple");
        nodes = nodes || !strcmp(argv[i], "nodes");
        late = late || !strcmp(argv[i], "late");
    }
    const char *rank = getenv("PMI_RANK") ? getenv("PMI_RANK") : getenv("PMIX_RANK");
    if (nodes)
        setenv("CAUSEWAY_NODE", rank && atoi(rank) % 2 ? "odd" : "even", 1);
    for (int step = 0; step < 2; step++) {
        if (step == late)
            MPI_Init_thread(NULL, NULL, multiple ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &level);
        else
            shmem_init_thread(multiple ? SHMEM_THREAD_MULTIPLE : SHMEM_THREAD_SINGLE, &level);
    }
    me = shmem_my_pe();
    npes = shmem_n_pes();
    check_as("PE", me, npes);
}

int main(int argc, char **argv)
{
    start(argc, argv);
    CHECK(npes <= MOST);
    from_comm(MPI_COMM_WORLD);
    from_comm(MPI_COMM_SELF);
    from_split(0, -me);                                   // reversed
    from_split(me % 2, me);                               // every other
    from_split(me / 2, -me);                              // neighbours
    from_split(0, me * 5 % 7);                            // no arithmetic sequence
    from_split(me == 1 ? MPI_UNDEFINED : 0, me * 3 % 5);  // one PE is left out
    for (int i = 0; i < 20; i++)                          // numbers are reused
        from_split(0, (me + i) % npes);
    shmem_team_t team, row, column;
    shmem_team_split_strided(SHMEM_TEAM_WORLD, npes - 1, -1, npes, NULL, 0, &team);
    from_team(team);
    shmem_team_destroy(team);
    shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 2, (npes + 1) / 2, NULL, 0, &team);
    from_team(team);
    shmem_team_destroy(team);
    shmem_team_split_2d(SHMEM_TEAM_WORLD, 2, NULL, 0, &row, NULL, 0, &column);
    from_team(row);
    from_team(column);
    shmem_team_destroy(row);
    shmem_team_destroy(column);
    from_team(SHMEM_TEAM_WORLD);
    from_team(SHMEM_TEAM_SHARED);
    shmem_barrier_all();
    if (me == 0)
        printf("teams and communicators agree\n");
    shmem_finalize();
    MPI_Finalize();
    return checks_failed != 0;
}
