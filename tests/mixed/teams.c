// SPDX-License-Identifier: BSD-3-Clause
//
// Teams of OpenSHMEM, teams of GASNet-EX and communicators of MPI, each made from the others: same
// members, same order, and all work. With an argument PEs belong to two nodes in turn.
#include <mpi.h>
//
#include <gasnetex.h>
#include <shmem.h>
#include <shmemx.h>
#include <stdio.h>
#include <stdlib.h>

#include "frame/check.h"

enum { MOST = 16 };

static long mine, all[MOST], sum;
static int me, npes;

static void team_as_tm(shmem_team_t team, gex_TM_t tm)
{
    int rank = (int)gex_TM_QueryRank(tm), size = (int)gex_TM_QuerySize(tm);
    CHECK(shmem_team_my_pe(team) == rank && shmem_team_n_pes(team) == size);
    long total = 0;
    for (int r = 0; r < size; r++) {
        int pe = (int)gex_TM_TranslateRankToJobrank(tm, (gex_Rank_t)r);
        CHECK(shmem_team_translate_pe(team, r, SHMEM_TEAM_WORLD) == pe);
        CHECK(shmem_team_translate_pe(SHMEM_TEAM_WORLD, pe, team) == r);
        total += pe + 1;
    }
    mine = me + 1;
    CHECK(shmem_long_fcollect(team, all, &mine, 1) == 0);
    for (int r = 0; r < size; r++)
        CHECK(all[r] == (long)gex_TM_TranslateRankToJobrank(tm, (gex_Rank_t)r) + 1);
    CHECK(shmem_long_sum_reduce(team, &sum, &mine, 1) == 0 && sum == total);
    int64_t here = me + 1, together = 0;
    gex_Event_Wait(gex_Coll_ReduceToAllNB(tm, &together, &here, GEX_DT_I64, sizeof here, 1,
                                          GEX_OP_ADD, NULL, NULL, 0));
    CHECK(together == total);
    shmem_team_sync(team);
}

static void comm_as_tm(MPI_Comm comm, gex_TM_t tm)
{
    int rank, size, pes[MOST];
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    CHECK(rank == (int)gex_TM_QueryRank(tm) && size == (int)gex_TM_QuerySize(tm));
    MPI_Allgather(&me, 1, MPI_INT, pes, 1, MPI_INT, comm);
    for (int r = 0; r < size; r++)
        CHECK(pes[r] == (int)gex_TM_TranslateRankToJobrank(tm, (gex_Rank_t)r));
}

/** A team of OpenSHMEM and, from that, a communicator. */
static void from_tm(gex_TM_t tm)
{
    shmem_team_t team = SHMEM_TEAM_INVALID;
    MPI_Comm comm;
    CHECK(shmemx_team_from_gex_tm(tm, &team) == 0 && team != SHMEM_TEAM_INVALID);
    team_as_tm(team, tm);
    CHECK(shmemx_mpi_comm_from_team(team, &comm) == 0);
    comm_as_tm(comm, tm);
    MPI_Comm_free(&comm);
    shmem_team_destroy(team);
}

static void split(gex_TM_t world, int member, int color, int key)
{
    gex_TM_t tm;
    gex_TM_Split(member ? &tm : NULL, world, color, key, NULL, 0, 0);
    if (!member)
        return;
    from_tm(tm);
    gex_TM_Destroy(tm, NULL, 0);
}

/** As a manual page shows: color and key from the place in the team. */
static void tm_of_team(gex_TM_t world, shmem_team_t team)
{
    gex_TM_t tm;
    int rank = shmem_team_my_pe(team);
    gex_TM_Split(rank >= 0 ? &tm : NULL, world, 0, rank, NULL, 0, 0);
    if (rank < 0)
        return;
    team_as_tm(team, tm);
    gex_TM_Destroy(tm, NULL, 0);
}

int main(int argc, char **argv)
{
    gex_Client_t client;
    gex_EP_t ep;
    gex_TM_t world;
    const char *rank = getenv("PMI_RANK") ? getenv("PMI_RANK") : getenv("PMIX_RANK");
    if (argc > 1 && rank)
        setenv("CAUSEWAY_NODE", atoi(rank) % 2 ? "odd" : "even", 1);
    MPI_Init(&argc, &argv);
    CHECK(gex_Client_Init(&client, &ep, &world, "teams", &argc, &argv, 0) == GASNET_OK);
    shmem_init();
    me = shmem_my_pe();
    npes = shmem_n_pes();
    check_as("PE", me, npes);
    CHECK(npes <= MOST && (int)gex_System_QueryJobRank() == me);
    from_tm(world);
    split(world, 1, 0, -me);               // reversed
    split(world, 1, me % 2, me);           // every other
    split(world, me != 1, 0, me * 3 % 5);  // one PE is left out, no arithmetic sequence
    shmem_team_t team;
    shmem_team_split_strided(SHMEM_TEAM_WORLD, npes - 1, -1, npes, NULL, 0, &team);
    tm_of_team(world, team);
    shmem_team_destroy(team);
    shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 2, (npes + 1) / 2, NULL, 0, &team);
    tm_of_team(world, team);
    shmem_team_destroy(team);
    team = SHMEM_TEAM_WORLD;
    // All members refuse together.
    CHECK(shmemx_team_of_members(NULL, npes, shmemx_gex_combine, (void *)world, &team) != 0);
    CHECK(team == SHMEM_TEAM_INVALID);
    shmem_barrier_all();
    if (me == 0)
        printf("teams agree\n");
    shmem_finalize();
    MPI_Finalize();
    gasnet_exit(checks_failed != 0);
}
