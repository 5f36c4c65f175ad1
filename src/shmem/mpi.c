// SPDX-License-Identifier: BSD-3-Clause
//
// Extensions: teams made of MPI communicators and GASNet-EX teams, and the reverse. The functions
// with MPI's types are inline in shmemx.h and pass the address and the size of a handle, so that
// the library needs no mpi.h; those with GASNet-EX's pass a list of PEs and a function to agree by,
// so that the front ends do not know each other.
#include "core/life/mpi.h"

#include <shmemx.h>

#include "core/sync/team.h"
#include "shmem/coll_args.h"

int shmemx_team_of_comm(const void *comm, size_t comm_nbytes, shmem_team_t *team)
{
    SHM_ENTER();
    const cw_group_t *group = NULL;
    int rc = cw_mpi_team(comm, comm_nbytes, &group);
    *team = shm_team_handle(group);
    return rc != CW_OK;
}

int shmemx_comm_of_team(shmem_team_t team, void *comm, size_t comm_nbytes)
{
    SHM_ENTER();
    if (team == SHMEM_TEAM_INVALID)
        return 1;
    return cw_mpi_comm(SHM_TEAM(team), comm, comm_nbytes) != CW_OK;
}

int shmemx_team_of_members(const int *pes, int npes, shmemx_combine_fn combine, void *arg,
                           shmem_team_t *team)
{
    SHM_ENTER();
    const cw_group_t *group = NULL;
    int rank = 0;
    while (pes && rank < npes && pes[rank] != cw_world.pe)
        rank++;
    bool good = pes && rank < npes && cw_pes_are_distinct(pes, npes);
    if (!good)
        cwu_error("shmemx_team_of_members: the %d members at %p are not different PEs of this job, "
                  "this one among them",
                  npes, (const void *)pes);
    int rc = cw_team_from_list(pes, npes, rank, !good, combine, arg, &group);
    *team = shm_team_handle(group);
    return rc != CW_OK;
}
