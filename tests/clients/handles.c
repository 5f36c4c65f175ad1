// SPDX-License-Identifier: BSD-3-Clause
//
// The handles as objects, as a generator of bindings sees the header, are the constants of C.
#include <shmem.h>
#include <stdio.h>

static const shmem_team_t teams[] = {SHMEM_TEAM_WORLD, SHMEM_TEAM_SHARED, SHMEM_TEAM_INVALID};
static const shmem_ctx_t contexts[] = {SHMEM_CTX_DEFAULT, SHMEM_CTX_INVALID};

#undef SHMEM_TEAM_WORLD
#undef SHMEM_TEAM_SHARED
#undef SHMEM_TEAM_INVALID
#undef SHMEM_CTX_DEFAULT
#undef SHMEM_CTX_INVALID

int main(void)
{
    shmem_init();
    int same = teams[0] == SHMEM_TEAM_WORLD && teams[1] == SHMEM_TEAM_SHARED &&
               teams[2] == SHMEM_TEAM_INVALID && contexts[0] == SHMEM_CTX_DEFAULT &&
               contexts[1] == SHMEM_CTX_INVALID;
    int works = shmem_team_n_pes(SHMEM_TEAM_WORLD) == shmem_n_pes();
    shmem_ctx_quiet(SHMEM_CTX_DEFAULT);
    printf("handles %s\n", same && works ? "agree" : "DIFFER");
    shmem_finalize();
    return same && works ? 0 : 1;
}
