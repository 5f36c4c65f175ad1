// SPDX-License-Identifier: BSD-3-Clause
//
// Memory ordering: fence and quiet.
#include "shmem/shm.h"

// With observers on.
static void quiet_watched(const char *func)
{
    if (shm_is_over())
        return;
    CW_WATCH(shm_enter(func));
    cw_quiet_default();
}

static void fence_watched(const char *func)
{
    if (shm_is_over())
        return;
    CW_WATCH(shm_enter(func));
    cw_fence_default();
}

static void ctx_quiet_watched(const char *func, shmem_ctx_t ctx)
{
    if (shm_is_over())
        return;
    CW_WATCH(shm_enter(func));
    cw_ctx_t *c = shm_ctx_or_none(ctx, func);
    if (c)
        cw_quiet(c);
}

static void ctx_fence_watched(const char *func, shmem_ctx_t ctx)
{
    if (shm_is_over())
        return;
    CW_WATCH(shm_enter(func));
    cw_ctx_t *c = shm_ctx_or_none(ctx, func);
    if (c)
        cw_fence(c);
}

void pshmem_quiet(void)
{
    SHM_ENTER_HOT(quiet_watched(__func__));
    cw_quiet_default();
}
SHM_WEAK(shmem_quiet);

void pshmem_fence(void)
{
    SHM_ENTER_HOT(fence_watched(__func__));
    cw_fence_default();
}
SHM_WEAK(shmem_fence);

void pshmem_ctx_quiet(shmem_ctx_t ctx)
{
    SHM_ENTER_HOT(ctx_quiet_watched(__func__, ctx));
    if (CW_LIKELY(ctx != SHMEM_CTX_INVALID))
        cw_quiet(shm_ctx(ctx));
}
SHM_WEAK(shmem_ctx_quiet);

void pshmem_ctx_fence(shmem_ctx_t ctx)
{
    SHM_ENTER_HOT(ctx_fence_watched(__func__, ctx));
    if (CW_LIKELY(ctx != SHMEM_CTX_INVALID))
        cw_fence(shm_ctx(ctx));
}
SHM_WEAK(shmem_ctx_fence);

static void quiet_pes(const char *func, cw_ctx_t *ctx, const int *target_pes, size_t npes)
{
    if (npes == 0)
        return;
    for (size_t i = 0; i < npes; i++)
        shm_check_rank(func, ctx, target_pes[i]);
    cw_quiet(ctx);  // completion is counted by context, not by PE
}

void pshmem_pe_quiet(const int *target_pes, size_t npes)
{
    SHM_ENTER();
    quiet_pes(__func__, &cw_ctx_default, target_pes, npes);
}
SHM_WEAK(shmem_pe_quiet);

void pshmem_ctx_pe_quiet(shmem_ctx_t ctx, const int *target_pes, size_t npes)
{
    SHM_ENTER();
    cw_ctx_t *c = shm_ctx_or_none(ctx, __func__);
    if (c)
        quiet_pes(__func__, c, target_pes, npes);
}
SHM_WEAK(shmem_ctx_pe_quiet);
