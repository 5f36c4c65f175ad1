// SPDX-License-Identifier: BSD-3-Clause
//
// Property lists for MPI-IO: the call of HDF5 gets the list, a communicator of the team's units in
// their order, and no info. HDF5 is played by a function of this program.
//     io            with MPI and HDF5
//     io without    compiled with -DWITHOUT: they are missing, and the call fails on all units
#include <dash/dart/if/dart.h>
#include <dash/dart/if/dart_io.h>
#include <stdio.h>

#include "frame/check.h"
#include "refusals.h"

enum { LIST = 7, WRONG = 9 };

#ifndef WITHOUT
#include <mpi.h>

static int calls;
static MPI_Comm kept = MPI_COMM_NULL;

int H5Pset_fapl_mpio(hid_t plist_id, MPI_Comm comm, MPI_Info info);
int H5Pset_fapl_mpio(hid_t plist_id, MPI_Comm comm, MPI_Info info)
{
    calls++;
    CHECK(info == MPI_INFO_NULL);
    if (plist_id != LIST)
        return -1;
    return MPI_Comm_dup(comm, &kept) == MPI_SUCCESS ? 0 : -1;
}

/** The communicator that HDF5 keeps is the team's. */
static void of_team(dart_team_t team)
{
    dart_team_unit_t me;
    size_t size;
    int rank = -1, n = -1, sum = 0, before = calls;
    dart_team_myid(team, &me);
    dart_team_size(team, &size);
    CHECK(dart__io__hdf5__prep_mpio(LIST, team) == DART_OK);
    REQUIRE(calls == before + 1 && kept != MPI_COMM_NULL);
    MPI_Comm_rank(kept, &rank);
    MPI_Comm_size(kept, &n);
    CHECK(rank == me.id && n == (int)size, "rank %d of %d, unit %d of %zu", rank, n, me.id, size);
    MPI_Allreduce(&me.id, &sum, 1, MPI_INT, MPI_SUM, kept);
    CHECK(sum == (int)(size * (size - 1) / 2));
    MPI_Comm_free(&kept);
}

static void of_teams(void)
{
    dart_group_t all, parts[2];
    dart_team_t team, mine = DART_TEAM_NULL;
    size_t n;
    dart_team_get_group(DART_TEAM_ALL, &all);
    dart_group_split(all, 2, &n, parts);
    of_team(DART_TEAM_ALL);
    for (size_t i = 0; i < n; i++) {
        dart_team_create(DART_TEAM_ALL, parts[i], &team);
        mine = team != DART_TEAM_NULL ? team : mine;
        dart_group_destroy(&parts[i]);
    }
    of_team(mine);
    of_team(mine);
    CHECK(dart__io__hdf5__prep_mpio(WRONG, mine) == DART_ERR_OTHER);
    CHECK(dart__io__hdf5__prep_mpio(LIST, DART_TEAM_NULL) == DART_ERR_INVAL);
    CHECK(calls == 4);
    dart_team_destroy(&mine);
    dart_group_destroy(&all);
}
#endif

int main(int argc, char **argv)
{
    refuse_without_lines();
    dart_global_unit_t me;
    size_t size;
#ifndef WITHOUT
    MPI_Init(&argc, &argv);
#endif
    CHECK(dart__io__hdf5__prep_mpio(LIST, DART_TEAM_ALL) == DART_ERR_NOTINIT);
    REQUIRE(dart_init(&argc, &argv) == DART_OK);
    dart_myid(&me);
    dart_size(&size);
    check_as("unit", me.id, (int)size);
#ifndef WITHOUT
    of_teams();
#else
    CHECK(dart__io__hdf5__prep_mpio(LIST, DART_TEAM_ALL) == DART_ERR_OTHER);
    CHECK(dart__io__hdf5__prep_mpio(LIST, DART_TEAM_NULL) == DART_ERR_INVAL);
#endif
    dart_exit();
#ifndef WITHOUT
    MPI_Finalize();
#endif
    return check_result();
}
