// SPDX-License-Identifier: BSD-3-Clause
//
// Two threads quiet a context at a time, one of them behind an operation of which the other's quiet
// does not know. A third thread, which knows that it was issued, finds it there behind a quiet of
// its own, whichever of the two was over first.
#include <pthread.h>
#include <shmem.h>

#include "sim.h"

enum { ROUNDS = 2 };
static long words[2];
static long issued, checked;  // rounds

static void rest(uint32_t most)
{
    for (uint32_t k = sim_draw(most); k > 0; k--)
        sim_yield();
}

static void await(const long *word, long round)
{
    while (__atomic_load_n(word, __ATOMIC_ACQUIRE) < round)
        sim_yield();
}

/** The quiet that begins first. */
static void *begin_first(void *arg)
{
    (void)arg;
    for (long round = 1; round <= ROUNDS; round++) {
        await(&checked, round - 1);
        shmem_long_p(&words[0], round, 1);
        shmem_quiet();
    }
    return NULL;
}

/** The operation that it does not know of, and a quiet. */
static void *issue(void *arg)
{
    (void)arg;
    for (long round = 1; round <= ROUNDS; round++) {
        await(&checked, round - 1);
        rest(8);
        shmem_long_p(&words[1], round, 1);
        __atomic_store_n(&issued, round, __ATOMIC_RELEASE);
        shmem_quiet();
    }
    return NULL;
}

/** What it reads goes another way than what was put. */
static void check(shmem_ctx_t ctx)
{
    for (long round = 1; round <= ROUNDS; round++) {
        await(&issued, round);
        rest(8);
        shmem_quiet();
        long word = shmem_ctx_long_g(ctx, &words[1], 1);
        SIM_CHECK(word == round, "behind the quiet of round %ld the word is %ld", round, word);
        __atomic_store_n(&checked, round, __ATOMIC_RELEASE);
    }
}

static void overlap(void)
{
    shmem_ctx_t ctx;
    pthread_t first, second;
    SIM_CHECK(shmem_ctx_create(SHMEM_CTX_PRIVATE, &ctx) == 0, "there is no context");
    pthread_create(&first, NULL, begin_first, NULL);
    pthread_create(&second, NULL, issue, NULL);
    check(ctx);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    shmem_ctx_destroy(ctx);
}

static void run(void)
{
    int provided;
    shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided);
    shmem_barrier_all();
    sim_begin();
    if (shmem_my_pe() == 0)
        overlap();
    shmem_barrier_all();
    sim_end();
    shmem_finalize();
}

static const char *const env[] = {"CAUSEWAY_AGGREGATE=off", NULL};
const sim_scene_t sim_scene = {
    .name = "quiet_overlap", .npes = 2, .nnodes = 2, .run = run, .env = env};
