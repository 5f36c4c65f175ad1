// SPDX-License-Identifier: BSD-3-Clause
//
// Who takes part in a collective: the group behind a team handle or an active set, and the checks of both.
#ifndef SHM_COLL_ARGS_H
#define SHM_COLL_ARGS_H

#include "shmem/shm.h"

static inline const cw_group_t *shm_team(shmem_team_t team, const char *func)
{
    if (CW_UNLIKELY(team != SHMEM_TEAM_WORLD))
        shm_bad_team(func);
    return cw_group_world;
}
#define SHM_TEAM(team) shm_team((team), __func__)

/** The active set of a deprecated collective. */
typedef struct shm_set {
    int start, log_stride, size;
    long *psync;
} shm_set_t;

/** The group of an active set: the world's own when the set is the world, else `room` filled in. */
const cw_group_t *shm_active_set(const char *func, shm_set_t set, cw_group_t *room);

#endif
