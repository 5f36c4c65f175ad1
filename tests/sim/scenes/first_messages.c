// SPDX-License-Identifier: BSD-3-Clause
//
// RDM endpoints whose first messages are lost without a word, or come later than those by which
// clients ask again, perhaps when the connection has been evicted: contexts, each with a client of
// its own, reach both other nodes all the same.
#include <shmem.h>
#include <stdlib.h>

#include "sim.h"

enum { PES = 3, CONTEXTS = 2, ROUNDS = 6 };
static long words[PES][CONTEXTS], counts[PES][CONTEXTS];  // by the PE that writes them
static int me;

static void reach(shmem_ctx_t ctx, int i, int other, long round)
{
    static long counted[CONTEXTS][PES];
    shmem_ctx_long_p(ctx, &words[me][i], round, other);
    shmem_ctx_fence(ctx);
    long before = shmem_ctx_long_atomic_fetch_inc(ctx, &counts[me][i], other);
    SIM_CHECK(before == counted[i][other], "PE %d counts %ld of %ld", other, before,
              counted[i][other]);
    counted[i][other]++;
    long seen = shmem_ctx_long_g(ctx, &words[me][i], other);
    SIM_CHECK(seen == round, "PE %d has %ld in round %ld", other, seen, round);
}

static void run(void)
{
    setenv("SIM_ORDER", sim_setting(0, 2) ? "raw,waw" : "sas,saw,raw,waw", 1);
    if (sim_setting(1, 2))
        setenv("CAUSEWAY_MAX_CONNECTIONS", "1", 1);
    shmem_init();
    me = shmem_my_pe();
    shmem_ctx_t ctx[CONTEXTS];
    shmem_barrier_all();
    sim_begin();
    for (int i = 0; i < CONTEXTS; i++)
        SIM_CHECK(shmem_ctx_create(SHMEM_CTX_PRIVATE, &ctx[i]) == 0, "context %d", i);
    for (long round = 1; round <= ROUNDS; round++) {
        for (int i = 0; i < CONTEXTS; i++)
            reach(ctx[i], i, (me + 1 + (int)(round + i) % 2) % PES, round);
        if (sim_draw(2))
            usleep(sim_draw(1000000));  // what is late may come
    }
    for (int i = 0; i < CONTEXTS; i++) {
        shmem_ctx_quiet(ctx[i]);
        shmem_ctx_destroy(ctx[i]);
    }
    shmem_barrier_all();
    sim_end();
    shmem_finalize();
}

static const char *const env[] = {"CAUSEWAY_ENDPOINT=rdm", "SIM_FIRSTS=1", NULL};
const sim_scene_t sim_scene = {.name = "first_messages",
                               .npes = PES,
                               .nnodes = PES,
                               .run = run,
                               .env = env,
                               .most_ns = UINT64_C(100000000000)};
