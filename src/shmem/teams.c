// SPDX-License-Identifier: BSD-3-Clause
//
// Teams. A split turns its arguments into parts of the parent (core/sync/team.h), or into a refusal
// that all PEs of the parent return. An error that only this PE can have is sent to the others
// before any PE returns.
#include "shmem/coll_args.h"

#include <limits.h>

const cw_group_t *shm_other_team(shmem_team_t team, const char *func)
{
    if (team == SHMEM_TEAM_SHARED)
        return cw_group_shared;
    const cw_group_t *group = (const cw_group_t *)(const void *)team;
    if (team == SHMEM_TEAM_INVALID || !cw_team_is_live(group))
        shm_bad_team(func);
    return group;
}

shmem_team_t shm_team_handle(const cw_group_t *team)
{
    if (!team)
        return SHMEM_TEAM_INVALID;
    if (team == cw_group_world)
        return SHMEM_TEAM_WORLD;
    return team == cw_group_shared ? SHMEM_TEAM_SHARED : (shmem_team_t)(uintptr_t)team;
}

int pshmem_team_my_pe(shmem_team_t team)
{
    SHM_ENTER();
    return team == SHMEM_TEAM_INVALID ? -1 : SHM_TEAM(team)->rank;
}
SHM_WEAK(shmem_team_my_pe);

int pshmem_team_n_pes(shmem_team_t team)
{
    SHM_ENTER();
    return team == SHMEM_TEAM_INVALID ? -1 : SHM_TEAM(team)->size;
}
SHM_WEAK(shmem_team_n_pes);

static bool is_rank(const cw_group_t *group, int pe)
{
    return pe >= 0 && pe < group->size;
}

void *pshmem_team_ptr(shmem_team_t team, const void *dest, int pe)
{
    SHM_ENTER();
    if (team == SHMEM_TEAM_INVALID)
        return NULL;
    const cw_group_t *group = SHM_TEAM(team);
    if (SHM_CHECKING() && !is_rank(group, pe))
        cw_check_failed(shm_call_name(__func__), "no PE %d in the team: its PEs are 0 to %d", pe,
                        group->size - 1);
    return is_rank(group, pe) ? cw_ptr(dest, cw_group_pe(group, pe)) : NULL;
}
SHM_WEAK(shmem_team_ptr);

int pshmem_team_translate_pe(shmem_team_t src_team, int src_pe, shmem_team_t dest_team)
{
    SHM_ENTER();
    if (src_team == SHMEM_TEAM_INVALID || dest_team == SHMEM_TEAM_INVALID)
        return -1;
    const cw_group_t *from = SHM_TEAM(src_team), *to = SHM_TEAM(dest_team);
    return is_rank(from, src_pe) ? cw_group_rank_of(to, cw_group_pe(from, src_pe)) : -1;
}
SHM_WEAK(shmem_team_translate_pe);

// ---------------------------------------------------------------- configuration

/** There is one field that a mask can name; other bits are an error. */
static void check_mask(const char *func, long mask, const shmem_team_config_t *config)
{
    if (!SHM_CHECKING())
        return;
    if (mask & ~SHMEM_TEAM_NUM_CONTEXTS)
        cw_check_failed(shm_call_name(func),
                        "config_mask %#lx: it may contain SHMEM_TEAM_NUM_CONTEXTS only", mask);
    if (mask && !config)
        cw_check_failed(shm_call_name(func),
                        "config is NULL, but config_mask %#lx asks for a field of it", mask);
}

/** Fields that the mask does not name keep their default. False for a senseless request. */
static bool read_config(const char *func, long mask, const shmem_team_config_t *config,
                        int *num_contexts_p)
{
    check_mask(func, mask, config);
    *num_contexts_p = 0;
    if (!(mask & SHMEM_TEAM_NUM_CONTEXTS))
        return true;
    if (!config || config->num_contexts < 0)
        return false;
    *num_contexts_p = config->num_contexts;
    return true;
}

int pshmem_team_get_config(shmem_team_t team, long config_mask, shmem_team_config_t *config)
{
    SHM_ENTER();
    if (team == SHMEM_TEAM_INVALID)
        return 1;
    check_mask(__func__, config_mask, config);
    const cw_group_t *group = SHM_TEAM(team);
    if ((config_mask & SHMEM_TEAM_NUM_CONTEXTS) && config)
        config->num_contexts = cw_team_num_contexts(group);
    return 0;
}
SHM_WEAK(shmem_team_get_config);

// ---------------------------------------------------------------- splits

/** Inside the parent from first to last; a stride of 0 names one PE. All PEs of the parent see the
 *  same. */
static bool is_triplet(const cw_group_t *parent, int start, int stride, int size)
{
    if (size < 1 || size > parent->size || !is_rank(parent, start) || (stride == 0 && size > 1))
        return false;
    long long last = start + (size - 1LL) * stride;
    return last >= 0 && last < parent->size;
}

/** Checks that all PEs of the parent split it alike. */
static void agree_strided(const char *func, const cw_group_t *parent, int start, int stride,
                          int size)
{
    if (!SHM_CHECKING())
        return;
    cw_claim_t claim = cw_claim(shm_call_name(func));
    claim.kind = CW_CLAIM_SPLIT;
    claim.root = (uint64_t)start;
    claim.sst = (uint64_t)stride;
    claim.size = (uint64_t)size;
    cw_coll_agree(parent, &claim);
}

static void agree_2d(const char *func, const cw_group_t *parent, int xrange)
{
    if (!SHM_CHECKING())
        return;
    cw_claim_t claim = cw_claim(shm_call_name(func));
    claim.size = (uint64_t)xrange;
    cw_coll_agree(parent, &claim);
}

static int split(const cw_group_t *parent, const cw_team_part_t *parts, int nparts, bool refused,
                 shmem_team_t *const *handles)
{
    const cw_group_t *teams[CW_TEAM_PARTS];
    int rc = cw_team_split(parent, parts, nparts, refused, teams);
    for (int i = 0; i < nparts; i++)
        *handles[i] = shm_team_handle(teams[i]);
    return rc != CW_OK;
}

int pshmem_team_split_strided(shmem_team_t parent_team, int start, int stride, int size,
                              const shmem_team_config_t *config, long config_mask,
                              shmem_team_t *new_team)
{
    SHM_ENTER();
    *new_team = SHMEM_TEAM_INVALID;
    if (parent_team == SHMEM_TEAM_INVALID)
        return 1;
    const cw_group_t *parent = SHM_TEAM(parent_team);
    agree_strided(__func__, parent, start, stride, size);
    if (!is_triplet(parent, start, stride, size))
        return 1;
    cw_team_part_t part = {.start = start, .stride = size > 1 ? stride : 1, .size = size};
    bool usable = read_config(__func__, config_mask, config, &part.num_contexts);
    return split(parent, &part, 1, !usable, &new_team);
}
SHM_WEAK(shmem_team_split_strided);

/** x counts within a row of xrange, y the rows; the last row may be shorter, and columns beyond its
 *  end too. */
int pshmem_team_split_2d(shmem_team_t parent_team, int xrange,
                         const shmem_team_config_t *xaxis_config, long xaxis_mask,
                         shmem_team_t *xaxis_team, const shmem_team_config_t *yaxis_config,
                         long yaxis_mask, shmem_team_t *yaxis_team)
{
    SHM_ENTER();
    *xaxis_team = *yaxis_team = SHMEM_TEAM_INVALID;
    if (parent_team == SHMEM_TEAM_INVALID)
        return 1;
    const cw_group_t *parent = SHM_TEAM(parent_team);
    agree_2d(__func__, parent, xrange);
    if (xrange < 1)
        return 1;
    int n = parent->size, width = xrange < n ? xrange : n;
    int x = parent->rank % width, y = parent->rank / width;
    int rest = n - y * width;
    cw_team_part_t parts[] = {
        {.start = y * width, .stride = 1, .size = rest < width ? rest : width},
        {.start = x, .stride = width, .size = (n - x + width - 1) / width}};
    bool usable = read_config(__func__, xaxis_mask, xaxis_config, &parts[0].num_contexts);
    usable = read_config(__func__, yaxis_mask, yaxis_config, &parts[1].num_contexts) && usable;
    return split(parent, parts, 2, !usable, (shmem_team_t *const[]){xaxis_team, yaxis_team});
}
SHM_WEAK(shmem_team_split_2d);

void pshmem_team_destroy(shmem_team_t team)
{
    if (shm_is_over())
        return;
    SHM_ENTER();
    if (team == SHMEM_TEAM_INVALID)
        return;
    bool predefined = team == SHMEM_TEAM_WORLD || team == SHMEM_TEAM_SHARED;
    if (predefined && SHM_CHECKING())
        cw_check_failed(shm_call_name(__func__), "%s is always there and cannot be destroyed",
                        team == SHMEM_TEAM_WORLD ? "SHMEM_TEAM_WORLD" : "SHMEM_TEAM_SHARED");
    if (predefined)
        return;
    const cw_group_t *group = SHM_TEAM(team);
    shm_agree(__func__, group);
    cw_ctx_destroy_of(team);
    cw_team_destroy(group);
}
SHM_WEAK(shmem_team_destroy);

// ---------------------------------------------------------------- handles as objects
// For languages that cannot read C's macros: generators of bindings (Rust's bindgen), loaders
// (Python's ctypes). The object's name is given to the assembler, because for the compiler the
// macro stands for it.

#pragma GCC visibility push(default)

extern const shmem_team_t shm_team_world __asm__("SHMEM_TEAM_WORLD");
extern const shmem_team_t shm_team_shared __asm__("SHMEM_TEAM_SHARED");
extern const shmem_team_t shm_team_invalid __asm__("SHMEM_TEAM_INVALID");
extern const shmem_ctx_t shm_ctx_default __asm__("SHMEM_CTX_DEFAULT");
extern const shmem_ctx_t shm_ctx_invalid __asm__("SHMEM_CTX_INVALID");

const shmem_team_t shm_team_world = SHMEM_TEAM_WORLD;
const shmem_team_t shm_team_shared = SHMEM_TEAM_SHARED;
const shmem_team_t shm_team_invalid = SHMEM_TEAM_INVALID;
const shmem_ctx_t shm_ctx_default = SHMEM_CTX_DEFAULT;
const shmem_ctx_t shm_ctx_invalid = SHMEM_CTX_INVALID;

#pragma GCC visibility pop
