// SPDX-License-Identifier: BSD-3-Clause
//
// Barriers, which complete the default context, and synchronizations, which only meet.
#include "shmem/coll_args.h"

void pshmem_barrier_all(void)
{
    SHM_ENTER();
    cw_barrier(cw_group_world);
}
SHM_WEAK(shmem_barrier_all);

void pshmem_sync_all(void)
{
    SHM_ENTER();
    cw_sync(cw_group_world);
}
SHM_WEAK(shmem_sync_all);

int pshmem_team_sync(shmem_team_t team)
{
    SHM_ENTER();
    cw_sync(SHM_TEAM(team));
    return 0;
}
SHM_WEAK(shmem_team_sync);

void pshmem_barrier(int PE_start, int logPE_stride, int PE_size, long *pSync)
{
    cw_group_t room;
    SHM_ENTER();
    cw_barrier(shm_active_set(__func__, (shm_set_t){PE_start, logPE_stride, PE_size, pSync}, &room));
}
SHM_WEAK(shmem_barrier);

void pshmem_sync(int PE_start, int logPE_stride, int PE_size, long *pSync)
{
    cw_group_t room;
    SHM_ENTER();
    cw_sync(shm_active_set(__func__, (shm_set_t){PE_start, logPE_stride, PE_size, pSync}, &room));
}
SHM_WEAK(shmem_sync);
