// SPDX-License-Identifier: BSD-3-Clause
//
// Scans: inclusive and exclusive prefix sums over a team.
#include "shmem/coll_args.h"
#include "shmem/reduce_ops.h"

static int scan(const char *func, const cw_group_t *g, void *dest, const void *source,
                size_t nelems, size_t size, bool exclusive, cw_reduce_fn kernel)
{
    SHM_BYTES(nelems * size);
    if (SHM_CHECKING()) {
        shm_check_count(func, "nelems", nelems, size);
        shm_check_symmetric(func, "dest", dest, nelems * size);
        shm_check_symmetric(func, "source", source, nelems * size);
        shm_check_overlap(func, dest, nelems * size, source, nelems * size, true);
    }
    shm_agree_move(func, g, dest, source, nelems);
    cw_scan(g, dest, source, nelems, size, exclusive, kernel);
    return 0;
}

#define SCAN(NAME, EXCLUSIVE, N, T)                                                                \
    int pshmem_##N##_sum_##NAME(shmem_team_t team, T *dest, const T *source, size_t nelems)        \
    { SHM_ENTER();                                                                                 \
      return scan(__func__, SHM_TEAM(team), dest, source, nelems, sizeof(T), EXCLUSIVE, SHM_KERNEL(sum, N)); } \
    SHM_WEAK(shmem_##N##_sum_##NAME);
#define SCANS(N, T) SCAN(inscan, false, N, T) SCAN(exscan, true, N, T)
SHM_TYPES_REDUCE_ARITH(SCANS)
