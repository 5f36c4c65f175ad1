// SPDX-License-Identifier: BSD-3-Clause
//
// Barriers, which complete the default context, and synchronizations, which complete nothing.
#include "shmem/coll_args.h"

// With observers on.
static void barrier_watched(const char *func)
{
    if (shm_is_over())
        return;
    CW_WATCH(shm_enter(func));
    shm_agree(func, cw_group_world);
    cw_barrier(cw_group_world);
}

static void sync_watched(const char *func)
{
    if (shm_is_over())
        return;
    CW_WATCH(shm_enter(func));
    shm_agree(func, cw_group_world);
    cw_sync(cw_group_world);
}

void pshmem_barrier_all(void)
{
    SHM_ENTER_HOT(barrier_watched(__func__));
    cw_barrier(cw_group_world);
}
SHM_WEAK(shmem_barrier_all);

void pshmem_sync_all(void)
{
    SHM_ENTER_HOT(sync_watched(__func__));
    cw_sync(cw_group_world);
}
SHM_WEAK(shmem_sync_all);

int pshmem_team_sync(shmem_team_t team)
{
    SHM_ENTER();
    const cw_group_t *group = SHM_TEAM(team);
    shm_agree(__func__, group);
    cw_sync(group);
    return 0;
}
SHM_WEAK(shmem_team_sync);

void pshmem_barrier(int PE_start, int logPE_stride, int PE_size, long *pSync)
{
    cw_group_t room;
    SHM_ENTER();
    const cw_group_t *group =
        shm_active_set(__func__, (shm_set_t){PE_start, logPE_stride, PE_size, pSync}, &room);
    shm_agree(__func__, group);
    cw_barrier(group);
}
SHM_WEAK(shmem_barrier);

void pshmem_sync(int PE_start, int logPE_stride, int PE_size, long *pSync)
{
    cw_group_t room;
    SHM_ENTER();
    const cw_group_t *group =
        shm_active_set(__func__, (shm_set_t){PE_start, logPE_stride, PE_size, pSync}, &room);
    shm_agree(__func__, group);
    cw_sync(group);
}
SHM_WEAK(shmem_sync);
