// SPDX-License-Identifier: BSD-3-Clause
//
// Programs that finalize where main does not see it: in an exit handler that is registered before
// shmem_init, and, for the second one of two inits, in a destructor, as global objects of C++ do.
// They find their memory, and what they release.
#include "check.h"

static long *block, data;
static shmem_ctx_t ctx;
static shmem_team_t team;

static void look(const char *where)
{
    CHECK(shmem_my_pe() == me && shmem_n_pes() == npes);
    CHECK(block[1] == prev + 100 && data == prev + 200, "%s: %ld and %ld", where, block[1], data);
    printf("PE %d in a %s\n", me, where);
}

static void on_exit_of_main(void)
{
    look("handler");
    block[0] = 1;
    shmem_fence();
    shmem_ctx_quiet(ctx);
    shmem_ctx_destroy(ctx);
    shmem_team_destroy(team);
    shmem_barrier_all();
    shmem_finalize();
}

__attribute__((destructor)) static void at_end(void)
{
    look("destructor");
    shmem_quiet();
    shmem_sync_all();
    shmem_free(block);
    shmem_finalize();
    fflush(stdout);
}

int main(void)
{
    atexit(on_exit_of_main);
    shmem_init();
    shmem_init();
    check_ring();
    REQUIRE((block = shmem_calloc(2, sizeof *block)) != NULL);
    REQUIRE(shmem_ctx_create(0, &ctx) == 0);
    REQUIRE(shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, npes, NULL, 0, &team) == 0);
    shmem_ctx_long_p(ctx, &block[1], me + 100, next);
    shmem_long_p(&data, me + 200, next);
    shmem_ctx_quiet(ctx);
    shmem_barrier_all();
    return checks_failed != 0;
}
