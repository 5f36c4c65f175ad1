// SPDX-License-Identifier: BSD-3-Clause
//
// Reductions, in team forms and active-set forms of every operation and type, and scans (inclusive
// and exclusive prefix sums) over a team.
#include "shmem/coll_args.h"
#include "shmem/reduce_ops.h"

/** Checks and claims, for reductions and scans. `count` is the name of the parameter. */
static void begin(const char *func, const char *count, const cw_group_t *g, const void *dest,
                  const void *source, size_t nelems, size_t size)
{
    if (SHM_CHECKING()) {
        shm_check_count(func, count, nelems, size);
        shm_check_operand(func, "dest", dest, nelems * size);
        shm_check_operand(func, "source", source, nelems * size);
        shm_check_overlap(func, dest, nelems * size, source, nelems * size, true);
    }
    shm_agree_move(func, g, dest, source, nelems);
}

static int reduce(const char *func, const cw_group_t *g, void *dest, const void *source,
                  size_t nelems, size_t size, cw_reduce_fn kernel)
{
    begin(func, "nreduce", g, dest, source, nelems, size);
    if (shm_on_device(nelems * size, dest, source))
        cw_device_reduce(g, dest, source, nelems, size, kernel);
    else
        cw_reduce(g, dest, source, nelems, size, kernel);
    return 0;
}

#define TEAM_REDUCE(OP, N, T)                                                                   \
    int pshmem_##N##_##OP##_reduce(shmem_team_t team, T *dest, const T *source, size_t nreduce) \
    { SHM_ENTER(); return reduce(__func__, SHM_TEAM(team), dest, source, nreduce, sizeof(T),    \
                                 SHM_KERNEL(OP, N)); }                                          \
    SHM_WEAK(shmem_##N##_##OP##_reduce);

#define TEAM_BITWISE(N, T) TEAM_REDUCE(and, N, T) TEAM_REDUCE(or, N, T) TEAM_REDUCE(xor, N, T)
#define TEAM_ORDER(N, T) TEAM_REDUCE(max, N, T) TEAM_REDUCE(min, N, T)
#define TEAM_ARITH(N, T) TEAM_REDUCE(sum, N, T) TEAM_REDUCE(prod, N, T)
SHM_TYPES_REDUCE_BITWISE(TEAM_BITWISE)
SHM_TYPES_REDUCE_ORDER(TEAM_ORDER)
SHM_TYPES_REDUCE_ARITH(TEAM_ARITH)

// ---------------------------------------------------------------- scans
static int scan(const char *func, const cw_group_t *g, void *dest, const void *source,
                size_t nelems, size_t size, bool exclusive, cw_reduce_fn kernel)
{
    begin(func, "nelems", g, dest, source, nelems, size);
    if (shm_on_device(nelems * size, dest, source))
        cw_device_scan(g, dest, source, nelems, size, exclusive, kernel);
    else
        cw_scan(g, dest, source, nelems, size, exclusive, kernel);
    return 0;
}

#define SCAN(NAME, EXCLUSIVE, N, T)                                                         \
    int pshmem_##N##_sum_##NAME(shmem_team_t team, T *dest, const T *source, size_t nelems) \
    { SHM_ENTER();                                                                          \
      return scan(__func__, SHM_TEAM(team), dest, source, nelems, sizeof(T), EXCLUSIVE,     \
                  SHM_KERNEL(sum, N)); }                                                    \
    SHM_WEAK(shmem_##N##_sum_##NAME);
#define SCANS(N, T) SCAN(inscan, false, N, T) SCAN(exscan, true, N, T)
SHM_TYPES_REDUCE_ARITH(SCANS)

// ---------------------------------------------------------------- deprecated: active sets
// The work array is not used: core has memory of its own. The count is an int here; a negative one
// becomes a size that the check rejects.
static void check_work(const char *func, int nreduce, const void *work, size_t size)
{
    size_t n = nreduce < 0 ? 0 : (size_t)nreduce / 2 + 1;
    if (SHM_CHECKING())
        shm_check_symmetric(
            func, "pWrk", work,
            (n > SHMEM_REDUCE_MIN_WRKDATA_SIZE ? n : SHMEM_REDUCE_MIN_WRKDATA_SIZE) * size);
}

#define ACTIVE_SET \
    shm_active_set(__func__, (shm_set_t){PE_start, logPE_stride, PE_size, pSync}, &room)
#define SET_REDUCE(OP, N, T)                                                                       \
    void pshmem_##N##_##OP##_to_all(T *dest, const T *source, int nreduce, int PE_start,           \
                                    int logPE_stride, int PE_size, T *pWrk, long *pSync)           \
    { cw_group_t room; SHM_ENTER(); check_work(__func__, nreduce, pWrk, sizeof(T));                \
      reduce(__func__, ACTIVE_SET, dest, source, (size_t)nreduce, sizeof(T), SHM_KERNEL(OP, N)); } \
    SHM_WEAK(shmem_##N##_##OP##_to_all);

#define SET_BITWISE(N, T) SET_REDUCE(and, N, T) SET_REDUCE(or, N, T) SET_REDUCE(xor, N, T)
#define SET_ORDER(N, T) SET_REDUCE(max, N, T) SET_REDUCE(min, N, T)
#define SET_ARITH(N, T) SET_REDUCE(sum, N, T) SET_REDUCE(prod, N, T)
SHM_TYPES_TO_ALL_BITWISE(SET_BITWISE)
SHM_TYPES_TO_ALL_ORDER(SET_ORDER)
SHM_TYPES_TO_ALL_ARITH(SET_ARITH)
