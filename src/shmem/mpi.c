// SPDX-License-Identifier: BSD-3-Clause
//
// Extensions: teams and MPI communicators. The names with MPI's types are inline functions of shmemx.h, which pass the
// address and the size of a handle on, so that the library needs no mpi.h.
#include "core/mpi.h"

#include <shmemx.h>

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
