// SPDX-License-Identifier: BSD-3-Clause
//
// Contexts with an endpoint of their own where requests travel along a topology: what their quiet
// promises is there when they, or the default context, read it directly. Then the job ends, while
// servers may still have to connect to a neighbour to give credits back.
#include <shmem.h>
#include <stdlib.h>

#include "sim.h"

enum { PES = 4, ROUNDS = 4 };
static long words[2];

static void round_of(shmem_ctx_t ctx, long round, int pe)
{
    shmem_ctx_long_p(ctx, &words[0], round, pe);
    shmem_ctx_long_atomic_set(ctx, &words[1], round, pe);
    shmem_ctx_quiet(ctx);
    for (int i = 0; i < 2; i++) {
        long seen = shmem_ctx_long_g(i == 0 ? ctx : SHMEM_CTX_DEFAULT, &words[1 - i], pe);
        SIM_CHECK(seen == round, "word %d of PE %d is %ld behind the quiet of round %ld", 1 - i, pe,
                  seen, round);
    }
}

static void run(void)
{
    static const char *const names[] = {"fcg", "mfcg", "hypercube"};
    shmem_ctx_t ctx;
    setenv("CAUSEWAY_TOPOLOGY", names[sim_setting(0, 3)], 1);
    shmem_init();
    int me = shmem_my_pe(), made = shmem_ctx_create(0, &ctx);
    SIM_CHECK(made == 0, "no context: %d", made);
    shmem_barrier_all();
    sim_begin();
    for (long round = 1; me == 0 && round <= ROUNDS; round++)
        round_of(ctx, round, 1 + (int)sim_draw(PES - 1));
    sim_end();
    shmem_ctx_destroy(ctx);
    shmem_finalize();
}

static const char *const env[] = {"CAUSEWAY_CTX_ENDPOINTS=1", NULL};
const sim_scene_t sim_scene = {
    .name = "routed_contexts", .npes = PES, .nnodes = PES, .run = run, .env = env};
