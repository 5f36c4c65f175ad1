// SPDX-License-Identifier: BSD-3-Clause
//
// Contexts. The default one is all there is: creating another says, as the specification allows at any time, that
// the resources for it are not there, and programs go on with the default context.
#include "shmem/shm.h"

int pshmem_ctx_create(long options, shmem_ctx_t *ctx)
{
    SHM_ENTER();
    (void)options;  // restrictions the user promises to keep: with no context to ease, nothing to do
    *ctx = SHMEM_CTX_INVALID;
    return 1;
}
SHM_WEAK(shmem_ctx_create);

void pshmem_ctx_destroy(shmem_ctx_t ctx)
{
    SHM_ENTER();
    if (ctx == SHMEM_CTX_INVALID)
        return;
    if (ctx == SHMEM_CTX_DEFAULT)
        cw_check_failed(shm_call_name(__func__), "the default context cannot be destroyed");
    shm_bad_context(__func__);
}
SHM_WEAK(shmem_ctx_destroy);

int pshmem_ctx_get_team(shmem_ctx_t ctx, shmem_team_t *team)
{
    SHM_ENTER();
    if (ctx == SHMEM_CTX_INVALID) {
        *team = SHMEM_TEAM_INVALID;
        return 1;
    }
    (void)SHM_CTX(ctx);
    *team = SHMEM_TEAM_WORLD;
    return 0;
}
SHM_WEAK(shmem_ctx_get_team);
