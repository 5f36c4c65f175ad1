// SPDX-License-Identifier: BSD-3-Clause
//
// Teams: queries of the world team.
#include "shmem/coll_args.h"
#include "shmem/shm.h"

int pshmem_team_my_pe(shmem_team_t team)
{
    SHM_ENTER();
    return team == SHMEM_TEAM_INVALID ? -1 : SHM_TEAM(team)->rank;
}
SHM_WEAK(shmem_team_my_pe);

int pshmem_team_n_pes(shmem_team_t team)
{
    SHM_ENTER();
    return team == SHMEM_TEAM_INVALID ? -1 : SHM_TEAM(team)->size;
}
SHM_WEAK(shmem_team_n_pes);

void *pshmem_team_ptr(shmem_team_t team, const void *dest, int pe)
{
    SHM_ENTER();
    if (team == SHMEM_TEAM_INVALID)
        return NULL;
    const cw_group_t *group = SHM_TEAM(team);
    if (SHM_CHECKING() && (pe < 0 || pe >= group->size))
        cw_check_failed(shm_call_name(__func__), "no PE %d in the team: its PEs are 0 to %d", pe, group->size - 1);
    return pe >= 0 && pe < group->size ? cw_ptr(dest, group->start + pe * group->stride) : NULL;
}
SHM_WEAK(shmem_team_ptr);
