// SPDX-License-Identifier: BSD-3-Clause
//
// Collectives that move data: team forms for all types and bytes, active-set forms for 32 and 64
// bits. core/coll does the work; this file has the argument checks, once for each collective, and
// the typed names.
#include "shmem/coll_args.h"

static void check_move(const char *func, const void *dest, size_t ndest, const void *source,
                       size_t nsource, size_t size, bool in_place)
{
    if (!SHM_CHECKING())
        return;
    shm_check_count(func, "nelems", ndest, size);
    shm_check_count(func, "nelems", nsource, size);
    shm_check_operand(func, "dest", dest, ndest * size);
    shm_check_operand(func, "source", source, nsource * size);
    shm_check_overlap(func, dest, ndest * size, source, nsource * size, in_place);
}

static int broadcast(const char *func, const cw_group_t *g, void *dest, const void *source,
                     size_t nelems, size_t size, int root, bool root_copies)
{
    check_move(func, dest, nelems, source, nelems, size, true);
    if (SHM_CHECKING()) {
        cw_claim_t claim = cw_claim(shm_call_name(func));
        claim.dest = nelems ? dest : NULL;
        claim.source = nelems ? source : NULL;
        claim.nelems = nelems;
        claim.root = (uint64_t)root;
        cw_coll_agree(g, &claim);
    }
    if (CW_UNLIKELY(root < 0 || root >= g->size))
        cw_check_failed(shm_call_name(func), "no root PE %d: the PEs taking part are 0 to %d", root,
                        g->size - 1);
    if (shm_on_device(nelems * size, dest, source))
        cw_device_broadcast(g, dest, source, nelems * size, root, root_copies);
    else
        cw_broadcast(g, dest, source, nelems * size, root, root_copies);
    return 0;
}

/** The only collective whose size may differ from PE to PE. The objects are the same even so: a PE
 *  without elements derives the addresses of the others from its own. */
static int collect(const char *func, const cw_group_t *g, void *dest, const void *source,
                   size_t nelems, size_t size)
{
    check_move(func, dest, nelems, source, nelems, size, false);
    if (SHM_CHECKING()) {
        cw_claim_t claim = cw_claim(shm_call_name(func));
        claim.dest = dest;
        claim.source = source;
        cw_coll_agree(g, &claim);
    }
    if (shm_on_device(nelems * size, dest, source))
        cw_device_collect(g, dest, source, nelems * size);
    else
        cw_collect(g, dest, source, nelems * size);
    return 0;
}

static int fcollect(const char *func, const cw_group_t *g, void *dest, const void *source,
                    size_t nelems, size_t size)
{
    check_move(func, dest, nelems * (size_t)g->size, source, nelems, size, false);
    shm_agree_move(func, g, dest, source, nelems);
    if (shm_on_device(nelems * size, dest, source))
        cw_device_fcollect(g, dest, source, nelems * size);
    else
        cw_fcollect(g, dest, source, nelems * size);
    return 0;
}

static int alltoall(const char *func, const cw_group_t *g, void *dest, const void *source,
                    size_t nelems, size_t size)
{
    size_t all = nelems * (size_t)g->size;
    check_move(func, dest, all, source, all, size, false);
    shm_agree_move(func, g, dest, source, nelems);
    if (shm_on_device(all * size, dest, source))
        cw_device_alltoall(g, dest, source, nelems * size);
    else
        cw_alltoall(g, dest, source, nelems * size);
    return 0;
}

/** n elements of the size, each that many bytes behind the one before. */
typedef struct strided {
    uintptr_t at;
    size_t step, size, n;
} strided_t;

/** Does an element of the one share a byte with one of the other? They may lie in its gaps. */
static bool share_elements(strided_t a, strided_t b)
{
    for (size_t i = 0; i < a.n; i++) {
        const uintptr_t at = a.at + i * a.step;
        // the first that ends behind its begin
        const size_t k = at < b.at + b.size ? 0 : (at - b.at - b.size) / b.step + 1;
        if (k < b.n && b.at + k * b.step < at + a.size)
            return true;
    }
    return false;
}

/** all > 0 elements of each. */
static void check_strided(const char *func, const void *dest, ptrdiff_t dst, const void *source,
                          ptrdiff_t sst, size_t all, size_t size)
{
    const size_t ndest = (all - 1) * (size_t)dst + 1, nsource = (all - 1) * (size_t)sst + 1;
    shm_check_count(func, "nelems", ndest, size);
    shm_check_count(func, "nelems", nsource, size);
    shm_check_operand(func, "dest", dest, ndest * size);
    shm_check_operand(func, "source", source, nsource * size);
    if (share_elements((strided_t){(uintptr_t)dest, (size_t)dst * size, size, all},
                       (strided_t){(uintptr_t)source, (size_t)sst * size, size, all}))
        shm_check_overlap(func, dest, ndest * size, source, nsource * size, false);
}

static int alltoalls(const char *func, const cw_group_t *g, void *dest, const void *source,
                     ptrdiff_t dst, ptrdiff_t sst, size_t nelems, size_t size)
{
    size_t all = nelems * (size_t)g->size;
    if (SHM_CHECKING() && (dst < 1 || sst < 1))
        cw_check_failed(shm_call_name(func), "strides %td and %td must be at least 1", dst, sst);
    if (SHM_CHECKING() && all)
        check_strided(func, dest, dst, source, sst, all, size);
    if (SHM_CHECKING()) {
        cw_claim_t claim = cw_claim(shm_call_name(func));
        claim.dest = nelems ? dest : NULL;
        claim.source = nelems ? source : NULL;
        claim.nelems = nelems;
        claim.dst = (uint64_t)dst;
        claim.sst = (uint64_t)sst;
        cw_coll_agree(g, &claim);
    }
    dst *= (ptrdiff_t)size;
    sst *= (ptrdiff_t)size;
    if (shm_on_device(all * size, dest, source))
        cw_device_alltoalls(g, dest, source, dst, sst, size, nelems);
    else
        cw_alltoalls(g, dest, source, dst, sst, size, nelems);
    return 0;
}

#define TEAM_MOVE(NAME, WORK, TYPE, SIZE)                                               \
    int pshmem_##NAME(shmem_team_t team, TYPE *dest, const TYPE *source, size_t nelems) \
    { SHM_ENTER(); return WORK(__func__, SHM_TEAM(team), dest, source, nelems, SIZE); } \
    SHM_WEAK(shmem_##NAME);
#define TEAM_BROADCAST(NAME, TYPE, SIZE)                                                           \
    int pshmem_##NAME(shmem_team_t team, TYPE *dest, const TYPE *source, size_t nelems,            \
                      int PE_root)                                                                 \
    { SHM_ENTER(); return broadcast(__func__, SHM_TEAM(team), dest, source, nelems, SIZE, PE_root, \
                                    true); }                                                       \
    SHM_WEAK(shmem_##NAME);
#define TEAM_STRIDED(NAME, TYPE, SIZE)                                                        \
    int pshmem_##NAME(shmem_team_t team, TYPE *dest, const TYPE *source, ptrdiff_t dst,       \
                      ptrdiff_t sst, size_t nelems)                                           \
    { SHM_ENTER(); return alltoalls(__func__, SHM_TEAM(team), dest, source, dst, sst, nelems, \
                                    SIZE); }                                                  \
    SHM_WEAK(shmem_##NAME);

#define TYPED(N, T)                                                                               \
    TEAM_BROADCAST(N##_broadcast, T, sizeof(T)) TEAM_STRIDED(N##_alltoalls, T, sizeof(T))         \
    TEAM_MOVE(N##_collect, collect, T, sizeof(T)) TEAM_MOVE(N##_fcollect, fcollect, T, sizeof(T)) \
    TEAM_MOVE(N##_alltoall, alltoall, T, sizeof(T))
SHM_TYPES_RMA(TYPED)
TEAM_BROADCAST(broadcastmem, void, 1)
TEAM_STRIDED(alltoallsmem, void, 1)
TEAM_MOVE(collectmem, collect, void, 1)
TEAM_MOVE(fcollectmem, fcollect, void, 1)
TEAM_MOVE(alltoallmem, alltoall, void, 1)

// ---------------------------------------------------------------- deprecated: active sets
#define ACTIVE_SET \
    shm_active_set(__func__, (shm_set_t){PE_start, logPE_stride, PE_size, pSync}, &room)

#define SET_MOVE(NAME, WORK, S)                                                                \
    void pshmem_##NAME##S(void *dest, const void *source, size_t nelems, int PE_start,         \
                          int logPE_stride, int PE_size, long *pSync)                          \
    { cw_group_t room; SHM_ENTER(); WORK(__func__, ACTIVE_SET, dest, source, nelems, S / 8); } \
    SHM_WEAK(shmem_##NAME##S);
/** The dest of the root is not written. */
#define SET_BROADCAST(S)                                                                         \
    void pshmem_broadcast##S(void *dest, const void *source, size_t nelems, int PE_root,         \
                             int PE_start, int logPE_stride, int PE_size, long *pSync)           \
    { cw_group_t room; SHM_ENTER(); broadcast(__func__, ACTIVE_SET, dest, source, nelems, S / 8, \
                                              PE_root, false); }                                 \
    SHM_WEAK(shmem_broadcast##S);
#define SET_STRIDED(S)                                                                      \
    void pshmem_alltoalls##S(void *dest, const void *source, ptrdiff_t dst, ptrdiff_t sst,  \
                             size_t nelems, int PE_start, int logPE_stride, int PE_size,    \
                             long *pSync)                                                   \
    { cw_group_t room; SHM_ENTER(); alltoalls(__func__, ACTIVE_SET, dest, source, dst, sst, \
                                              nelems, S / 8); }                             \
    SHM_WEAK(shmem_alltoalls##S);

// clang-format off
SET_BROADCAST(32) SET_BROADCAST(64)
SET_STRIDED(32) SET_STRIDED(64)
SET_MOVE(collect, collect, 32) SET_MOVE(collect, collect, 64)
SET_MOVE(fcollect, fcollect, 32) SET_MOVE(fcollect, fcollect, 64)
SET_MOVE(alltoall, alltoall, 32) SET_MOVE(alltoall, alltoall, 64)
