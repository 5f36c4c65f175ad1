// SPDX-License-Identifier: BSD-3-Clause
//
// What fences, quiets and blocking gets promise within a node, as litmus tests: a store behind a
// fence is not seen before the one in front of it; of two PEs that each put, quiet and get, one
// sees the other's put; a get behind a get sees nothing older.
#include <shmem.h>

#include "sim.h"

enum { ROUNDS = 4, LOOKS = 8 };
enum { FENCE, CTX_FENCE, GETS, STORE_QUIET, QUIET, CTX_QUIET, NOSTORE_QUIET, KINDS };
static long data, flag, mine;

/** PE 0 puts data and then the flag; PE 1 looks at them in the other order. */
static void pass_on(int kind, shmem_ctx_t ctx, long round)
{
    if (shmem_my_pe() == 0) {
        shmem_ctx_long_p(ctx, &data, round, 1);
        if (kind == FENCE)
            shmem_fence();
        else if (kind == STORE_QUIET)
            shmem_quiet();
        else
            shmem_ctx_fence(ctx);
        shmem_ctx_long_p(ctx, &flag, round, 1);
        return;
    }
    for (int i = 0; i < LOOKS; i++) {
        long seen = 0;
        if (kind == GETS)
            shmem_getmem(&seen, &flag, sizeof seen, 1);
        else
            seen = __atomic_load_n(&flag, __ATOMIC_ACQUIRE);
        long then = shmem_long_g(&data, 1);
        SIM_CHECK(then >= seen, "behind the flag of round %ld the data are %ld", seen, then);
    }
}

/** Each PE puts to its own word, and looks at the other's. */
static void cross(shmem_ctx_t ctx, long round)
{
    static long seen[2];
    int me = shmem_my_pe(), other = 1 - me;
    shmem_ctx_long_p(ctx, &mine, round, me);
    if (ctx == SHMEM_CTX_DEFAULT)
        shmem_quiet();
    else
        shmem_ctx_quiet(ctx);
    seen[me] = shmem_ctx_long_g(ctx, &mine, other);
    shmem_barrier_all();
    seen[other] = shmem_long_g(&seen[other], other);
    SIM_CHECK(seen[0] == round || seen[1] == round,
              "in round %ld each PE misses the other's put before its quiet", round);
}

static void run(void)
{
    int kind = (int)sim_setting(0, KINDS);
    shmem_init();
    shmem_ctx_t ctx = SHMEM_CTX_DEFAULT;
    if (kind == CTX_FENCE || kind == CTX_QUIET)
        shmem_ctx_create(0, &ctx);
    else if (kind == NOSTORE_QUIET)
        shmem_ctx_create(SHMEM_CTX_NOSTORE, &ctx);
    shmem_barrier_all();
    sim_begin();
    for (long round = 1; round <= ROUNDS; round++) {
        if (kind <= STORE_QUIET)
            pass_on(kind, ctx, round);
        else
            cross(ctx, round);
        shmem_barrier_all();
    }
    sim_end();
    shmem_finalize();
}

const sim_scene_t sim_scene = {
    .name = "orders", .npes = 2, .nnodes = 1, .run = run, .timeless = SIM_UNDER_ALL};
