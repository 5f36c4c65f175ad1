// SPDX-License-Identifier: BSD-3-Clause
//
// The group of PEs of a collective: that of a team handle or of an active set, and the checks of
// both.
#ifndef SHM_COLL_ARGS_H
#define SHM_COLL_ARGS_H

#include "base/compiler.h"
#include "core/device/coll.h"
#include "core/sync/team.h"
#include "shmem/shm.h"

// A handle is a small number for the predefined teams, and the address of its group for all
// others.

/** The slow path of shm_team(): SHMEM_TEAM_SHARED, checks, and invalid handles. */
const cw_group_t *shm_other_team(shmem_team_t team, const char *func);

static inline const cw_group_t *shm_team(shmem_team_t team, const char *func)
{
    if (team == SHMEM_TEAM_WORLD)
        return cw_group_world;
    if (CW_LIKELY((uintptr_t)team > (uintptr_t)SHMEM_TEAM_SHARED && !cw_world.check))
        return (const cw_group_t *)(const void *)team;
    return shm_other_team(team, func);
}
#define SHM_TEAM(team) shm_team((team), __func__)

/** The handle of a group: the reverse of shm_team(). */
shmem_team_t shm_team_handle(const cw_group_t *team);

/** The active set of a deprecated collective. */
typedef struct shm_set {
    int start, log_stride, size;
    long *psync;
} shm_set_t;

/** The group of an active set: the world's own when the set is the world, else `room` filled in. */
const cw_group_t *shm_active_set(const char *func, shm_set_t set, cw_group_t *room);
void shm_compare_claims(const char *func, const cw_group_t *group, const void *dest,
                        const void *source, uint64_t nelems) CW_COLD;

/** Reports the bytes that this PE contributes to a collective. True: an operand is device memory,
 *  which only a program that is not plain has. */
static CW_ALWAYS_INLINE bool shm_on_device(size_t nbytes, const void *dest, const void *source)
{
    if (CW_LIKELY(cw_world.plain))
        return false;
    cw_watch_bytes(nbytes);
    return cw_device_takes_part(dest, source);
}

/** Checking mode: checks that all PEs of the group make this call. Runs before any effect that
 *  other PEs can see. */
static inline void shm_agree(const char *func, const cw_group_t *group)
{
    if (SHM_CHECKING())
        shm_compare_claims(func, group, NULL, NULL, CW_CLAIM_NONE);
}

/** The same, with the same symmetric objects (ignored without elements) and as many elements. */
static inline void shm_agree_move(const char *func, const cw_group_t *group, const void *dest,
                                  const void *source, uint64_t nelems)
{
    if (SHM_CHECKING())
        shm_compare_claims(func, group, nelems ? dest : NULL, nelems ? source : NULL, nelems);
}

#endif
