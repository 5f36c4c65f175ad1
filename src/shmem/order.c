// SPDX-License-Identifier: BSD-3-Clause
//
// Memory ordering: fence and quiet.
#include "shmem/shm.h"

void pshmem_quiet(void)
{
    SHM_ENTER();
    cw_quiet_default();
}
SHM_WEAK(shmem_quiet);

void pshmem_fence(void)
{
    SHM_ENTER();
    cw_fence_default();
}
SHM_WEAK(shmem_fence);

void pshmem_ctx_quiet(shmem_ctx_t ctx)
{
    SHM_ENTER();
    if (ctx == SHMEM_CTX_INVALID)
        return;
    (void)SHM_CTX(ctx);
    cw_quiet_default();
}
SHM_WEAK(shmem_ctx_quiet);

void pshmem_ctx_fence(shmem_ctx_t ctx)
{
    SHM_ENTER();
    if (ctx == SHMEM_CTX_INVALID)
        return;
    (void)SHM_CTX(ctx);
    cw_fence_default();
}
SHM_WEAK(shmem_ctx_fence);

static void quiet_pes(const char *func, const int *target_pes, size_t npes)
{
    if (npes == 0)
        return;
    if (SHM_CHECKING())
        for (size_t i = 0; i < npes; i++)
            shm_check_pe(func, target_pes[i]);
    cw_quiet_default();  // completion is counted by context, not by PE
}

void pshmem_pe_quiet(const int *target_pes, size_t npes)
{
    SHM_ENTER();
    quiet_pes(__func__, target_pes, npes);
}
SHM_WEAK(shmem_pe_quiet);

void pshmem_ctx_pe_quiet(shmem_ctx_t ctx, const int *target_pes, size_t npes)
{
    SHM_ENTER();
    if (ctx == SHMEM_CTX_INVALID)
        return;
    (void)SHM_CTX(ctx);
    quiet_pes(__func__, target_pes, npes);
}
SHM_WEAK(shmem_ctx_pe_quiet);
