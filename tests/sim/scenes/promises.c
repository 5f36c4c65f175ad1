// SPDX-License-Identifier: BSD-3-Clause
//
// Providers that promise less than all order: two threads of a PE share a context; what one has put
// is there behind its own quiet, whatever the other one does.
#include <pthread.h>
#include <shmem.h>
#include <stdlib.h>
#include <time.h>

#include "sim.h"

enum { ROUNDS = 4 };
static long words[2], counters[2], marks[2];
static shmem_ctx_t ctx;

static void *issue(void *arg)
{
    long i = (long)arg;
    shmem_ctx_t other;
    if (shmem_ctx_create(SHMEM_CTX_PRIVATE, &other) != 0)
        other = SHMEM_CTX_DEFAULT;
    for (long v = 1; v <= ROUNDS; v++) {
        uint32_t draw = sim_draw(4);
        if (draw & 1)
            shmem_ctx_long_atomic_inc(ctx, &counters[i], 1);
        shmem_ctx_long_p(ctx, &words[i], v, 1);
        if (draw & 2)
            shmem_ctx_long_atomic_set(ctx, &marks[i], v, 1);
        shmem_ctx_quiet(ctx);
        long seen = shmem_ctx_long_g(other, &words[i], 1);  // by another connection
        SIM_CHECK(seen == v, "PE 1 has %ld behind the quiet of thread %ld in round %ld", seen, i,
                  v);
    }
    shmem_ctx_destroy(other);
    return NULL;
}

static void *look(void *arg)
{
    while (!__atomic_load_n((int *)arg, __ATOMIC_RELAXED)) {
        for (int i = 0; i < 2; i++) {
            long mark = __atomic_load_n(&marks[i], __ATOMIC_ACQUIRE);
            long word = __atomic_load_n(&words[i], __ATOMIC_ACQUIRE);
            SIM_CHECK(word >= mark - 1, "the word is %ld where the mark is %ld", word, mark);
        }
        nanosleep(&(struct timespec){.tv_nsec = 5000}, NULL);  // some operations are late
    }
    return NULL;
}

static void run(void)
{
    static const char *const orders[] = {"sas,raw,waw", "raw,waw", "sas", "sas,saw,waw", "none"};
    static int over;
    int provided;
    pthread_t thread;
    setenv("SIM_ORDER", orders[sim_setting(0, 5)], 1);
    setenv("CAUSEWAY_ENDPOINT", sim_setting(1, 2) ? "rdm" : "msg", 1);
    shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided);
    int me = shmem_my_pe();
    if (shmem_ctx_create(0, &ctx) != 0)
        ctx = SHMEM_CTX_DEFAULT;
    over = 0;
    shmem_barrier_all();
    sim_begin();
    pthread_create(&thread, NULL, me == 0 ? issue : look, me == 0 ? (void *)1L : &over);
    if (me == 0) {
        issue((void *)0L);
        pthread_join(thread, NULL);
    }
    shmem_barrier_all();
    sim_end();
    __atomic_store_n(&over, 1, __ATOMIC_RELAXED);
    if (me == 1)
        pthread_join(thread, NULL);
    shmem_finalize();
}

const sim_scene_t sim_scene = {.name = "promises", .npes = 2, .nnodes = 2, .run = run};
