// SPDX-License-Identifier: BSD-3-Clause
//
// Contexts and sessions. A handle is the address of the core's context; its PE numbers are ranks of
// the team it was created from. Failing to create one is a return code, not an error.
#include "shmem/coll_args.h"
#include "shmem/shm.h"

_Static_assert(SHMEM_CTX_SERIALIZED == CW_CTX_SERIALIZED && SHMEM_CTX_PRIVATE == CW_CTX_PRIVATE &&
                   SHMEM_CTX_NOSTORE == CW_CTX_NOSTORE,
               "options are handed on as they are");

static int create(const cw_group_t *group, shmem_team_t team, long options, shmem_ctx_t *ctx)
{
    cw_ctx_config_t config = {.start = group->start,
                              .stride = group->stride,
                              .size = group->size,
                              .pes = group->pes,
                              .options = (unsigned)options,
                              .team = team};
    cw_ctx_t *created;
    if (options != (long)config.options || cw_ctx_create(&config, &created) != CW_OK) {
        *ctx = SHMEM_CTX_INVALID;
        return 1;
    }
    *ctx = (shmem_ctx_t)created;
    return 0;
}

int pshmem_ctx_create(long options, shmem_ctx_t *ctx)
{
    SHM_ENTER();
    return create(cw_group_world, SHMEM_TEAM_WORLD, options, ctx);
}
SHM_WEAK(shmem_ctx_create);

int pshmem_team_create_ctx(shmem_team_t team, long options, shmem_ctx_t *ctx)
{
    SHM_ENTER();
    if (team == SHMEM_TEAM_INVALID) {
        *ctx = SHMEM_CTX_INVALID;
        return 1;
    }
    return create(SHM_TEAM(team), team, options, ctx);
}
SHM_WEAK(shmem_team_create_ctx);

void pshmem_ctx_destroy(shmem_ctx_t ctx)
{
    if (shm_is_over())
        return;
    SHM_ENTER();
    if (ctx == SHMEM_CTX_INVALID)
        return;
    if (ctx == SHMEM_CTX_DEFAULT)
        cw_check_failed(shm_call_name(__func__), "the default context cannot be destroyed");
    cw_ctx_destroy(shm_ctx_or_none(ctx, __func__));
}
SHM_WEAK(shmem_ctx_destroy);

int pshmem_ctx_get_team(shmem_ctx_t ctx, shmem_team_t *team)
{
    SHM_ENTER();
    cw_ctx_t *c = shm_ctx_or_none(ctx, __func__);
    if (!c) {
        *team = SHMEM_TEAM_INVALID;
        return 1;
    }
    *team = c == &cw_ctx_default ? SHMEM_TEAM_WORLD : (shmem_team_t)c->team;
    return 0;
}
SHM_WEAK(shmem_ctx_get_team);

/** A session that batches collects small operations into one request (core/rma/batch.h). There are
 *  no other options. */
void pshmem_ctx_session_start(shmem_ctx_t ctx, long options,
                              const shmem_ctx_session_config_t *config, long config_mask)
{
    SHM_ENTER();
    cw_ctx_t *c = shm_ctx_or_none(ctx, __func__);
    if (!c)
        return;
    size_t total_ops = config_mask & SHMEM_CTX_SESSION_TOTAL_OPS ? config->total_ops : SIZE_MAX;
    if ((options & SHMEM_CTX_SESSION_BATCH) || cw_batch_is_on(c))
        cw_ctx_batch_start(c, total_ops);
}
SHM_WEAK(shmem_ctx_session_start);

void pshmem_ctx_session_stop(shmem_ctx_t ctx)
{
    SHM_ENTER();
    cw_ctx_t *c = shm_ctx_or_none(ctx, __func__);
    if (c && cw_batch_is_on(c))
        cw_ctx_batch_stop(c);
}
SHM_WEAK(shmem_ctx_session_stop);
