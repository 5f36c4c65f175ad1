// SPDX-License-Identifier: BSD-3-Clause
//
// Contexts of all kinds, made, used and destroyed by threads at once, more of them than endpoints
// may be, beside a thread that issues on the default one. What a context has put is there behind
// its quiet and behind its end.
#include <pthread.h>
#include <shmem.h>

#include "sim.h"

enum { PES = 3, ROUNDS = 3, THREADS = 2 };
static const long kinds[] = {0, SHMEM_CTX_SERIALIZED, SHMEM_CTX_PRIVATE, SHMEM_CTX_NOSTORE};
static long words[THREADS + 1][2];

static void check(shmem_ctx_t ctx, long *word, long value, int pe)
{
    long seen = shmem_ctx_long_g(ctx, word, pe);
    SIM_CHECK(seen == value, "a word of PE %d is %ld behind the quiet of its put of %ld", pe, seen,
              value);
}

static void *make_and_end(void *arg)
{
    long *mine = words[(long)arg];
    for (long round = 1; round <= ROUNDS; round++) {
        shmem_ctx_t ctx;
        int pe = 1 + (int)sim_draw(PES - 1);
        if (shmem_ctx_create(kinds[sim_draw(4)], &ctx) != 0)
            ctx = SHMEM_CTX_DEFAULT;
        shmem_ctx_long_p(ctx, &mine[0], round, pe);
        shmem_ctx_long_atomic_set(ctx, &mine[1], round, pe);
        if (sim_draw(2)) {
            shmem_ctx_quiet(ctx);
            check(ctx, &mine[0], round, pe);
        }
        if (ctx != SHMEM_CTX_DEFAULT)
            shmem_ctx_destroy(ctx);
        else
            shmem_quiet();
        check(SHMEM_CTX_DEFAULT, &mine[1], round, pe);
    }
    return NULL;
}

static void issue(void)
{
    for (long round = 1; round <= ROUNDS; round++)
        for (int pe = 1; pe < PES; pe++) {
            shmem_long_p(&words[THREADS][0], round, pe);
            shmem_fence();
            shmem_long_atomic_inc(&words[THREADS][1], pe);
        }
    shmem_quiet();
}

static void run(void)
{
    int provided;
    shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided);
    int me = shmem_my_pe();
    shmem_barrier_all();
    sim_begin();
    if (me == 0) {
        pthread_t threads[THREADS];
        for (long i = 0; i < THREADS; i++)
            pthread_create(&threads[i], NULL, make_and_end, (void *)i);
        issue();
        for (int i = 0; i < THREADS; i++)
            pthread_join(threads[i], NULL);
    }
    shmem_barrier_all();
    sim_end();
    if (me > 0)
        SIM_CHECK(words[THREADS][0] == ROUNDS && words[THREADS][1] == ROUNDS, "put are %ld and %ld",
                  words[THREADS][0], words[THREADS][1]);
    shmem_barrier_all();
    shmem_finalize();
}

static const char *const env[] = {"CAUSEWAY_CTX_ENDPOINTS=1", NULL};
const sim_scene_t sim_scene = {
    .name = "contexts", .npes = PES, .nnodes = PES, .run = run, .env = env};
