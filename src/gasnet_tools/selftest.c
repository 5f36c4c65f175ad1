// SPDX-License-Identifier: BSD-3-Clause
//
// gasnett_run_diagnostics: the tools checked on the machine where they run, by several threads at a
// time.
#include <stdarg.h>
#include <stdbool.h>
#include <string.h>

#include "tools.h"

typedef struct run {
    int iters, nthreads;
    pthread_barrier_t barrier;
    gasnett_atomic_t errors, count;
    gasnett_strongatomic64_t count64;
    gasnett_mutex_t mutex;
    gasnett_rwlock_t rwlock;
    gasnett_cond_t cond;
    uint64_t guarded, copy;  // equal whenever the read-write lock is free
    int turn;                // of the condition, under mutex
} run_t;

typedef struct worker {
    run_t *run;
    int id;
    const char *sections;
} worker_t;

GASNETT_THREADKEY_DEFINE(gast_selftest_key);

__attribute__((format(printf, 2, 3))) static void error(run_t *run, const char *format, ...)
{
    char text[256];
    va_list ap;
    va_start(ap, format);
    vsnprintf(text, sizeof text, format, ap);
    va_end(ap);
    gasnett_atomic_increment(&run->errors, 0);
    fprintf(stderr, "gasnett_run_diagnostics: %s\n", text);
}

static void test_atomics(const worker_t *w)
{
    run_t *run = w->run;
    for (int i = 0; i < run->iters; i++) {
        gasnett_atomic_increment(&run->count, 0);
        gasnett_strongatomic64_add(&run->count64, 3, GASNETT_ATOMIC_ACQ);
        uint64_t seen;
        do
            seen = gasnett_strongatomic64_read(&run->count64, 0);
        while (!gasnett_strongatomic64_compare_and_swap(&run->count64, seen, seen - 1,
                                                        GASNETT_ATOMIC_REL));
    }
    pthread_barrier_wait(&run->barrier);
    uint64_t wanted = (uint64_t)run->iters * (uint64_t)run->nthreads;
    if (gasnett_atomic_read(&run->count, 0) != (gasnett_atomic_val_t)wanted)
        error(run, "thread %d: 32-bit updates were lost", w->id);
    if (gasnett_strongatomic64_read(&run->count64, 0) != 2 * wanted)
        error(run, "thread %d: 64-bit updates were lost", w->id);
}

static void test_locks(const worker_t *w)
{
    run_t *run = w->run;
    gasnett_threadkey_set(gast_selftest_key, w);
    for (int i = 0; i < run->iters; i++) {
        gasnett_rwlock_wrlock(&run->rwlock);
        run->guarded++;
        run->copy++;
        gasnett_rwlock_unlock(&run->rwlock);
        gasnett_rwlock_rdlock(&run->rwlock);
        if (run->guarded != run->copy)
            error(run, "thread %d: a reader was let in with a writer", w->id);
        gasnett_rwlock_unlock(&run->rwlock);
    }
    int rounds = run->iters < 20 ? run->iters : 20;
    gasnett_mutex_lock(&run->mutex);
    for (int i = 0; i < rounds; i++) {
        while (run->turn % run->nthreads != w->id)
            gasnett_cond_wait(&run->cond, &run->mutex);
        run->turn++;
        gasnett_cond_broadcast(&run->cond);
    }
    gasnett_mutex_unlock(&run->mutex);
    pthread_barrier_wait(&run->barrier);
    if (run->guarded != (uint64_t)run->iters * (uint64_t)run->nthreads)
        error(run, "thread %d: a write lock let two in", w->id);
    if (gasnett_threadkey_get(gast_selftest_key) != w)
        error(run, "thread %d: a thread key is not the thread's own", w->id);
}

static void test_memory(const worker_t *w)
{
    char *blocks[16] = {0};
    for (int i = 0; i < w->run->iters; i++) {
        int k = i % 16;
        if (blocks[k] && *blocks[k] != (char)w->id)
            error(w->run, "thread %d: a block changed", w->id);
        gasnett_debug_free(blocks[k]);
        blocks[k] = gasnett_debug_malloc((size_t)(i % 100 + 1));
        *blocks[k] = (char)w->id;
        gasnett_debug_memcheck_one();
    }
    for (int k = 0; k < 16; k++)
        gasnett_debug_free(blocks[k]);
}

static void test_timers(const worker_t *w)
{
    gasnett_tick_t before = gasnett_ticks_now();
    for (int i = 0; i < w->run->iters; i++) {
        gasnett_tick_t after = gasnett_ticks_now();
        if (after < before)
            error(w->run, "thread %d: the clock went back", w->id);
        before = after;
    }
}

static void *work(void *arg)
{
    static const struct {
        char letter;
        void (*test)(const worker_t *);
    } tests[] = {{'A', test_atomics}, {'L', test_locks}, {'M', test_memory}, {'T', test_timers}};
    const worker_t *w = arg;
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++) {
        pthread_barrier_wait(&w->run->barrier);
        if (!w->sections || strchr(w->sections, tests[i].letter))
            tests[i].test(w);
    }
    return NULL;
}

int gasnett_run_diagnostics_(int iters, int threadcnt, const char *sections)
{
    if (iters < 1 || threadcnt < 1 || threadcnt > GASNETT_MAX_THREADS)
        gasnett_fatalerror_nopos("gasnett_run_diagnostics: %d iterations of %d threads", iters,
                                 threadcnt);
    run_t *run = calloc(1, sizeof *run);
    pthread_t *threads = calloc((size_t)threadcnt, sizeof *threads);
    worker_t *workers = calloc((size_t)threadcnt, sizeof *workers);
    if (!run || !threads || !workers)
        gasnett_fatalerror_nopos("gasnett_run_diagnostics: out of memory");
    *run = (run_t){.iters = iters, .nthreads = threadcnt};
    pthread_barrier_init(&run->barrier, NULL, (unsigned)threadcnt);
    gasnett_mutex_init(&run->mutex);
    gasnett_rwlock_init(&run->rwlock);
    gasnett_cond_init(&run->cond);
    for (int i = 0; i < threadcnt; i++) {
        workers[i] = (worker_t){.run = run, .id = i, .sections = sections};
        if (pthread_create(&threads[i], NULL, work, &workers[i]))
            gasnett_fatalerror_nopos("gasnett_run_diagnostics: thread %d of %d cannot be started",
                                     i, threadcnt);
    }
    for (int i = 0; i < threadcnt; i++)
        pthread_join(threads[i], NULL);
    int errors = (int)gasnett_atomic_read(&run->errors, 0);
    gasnett_cond_destroy(&run->cond);
    gasnett_rwlock_destroy(&run->rwlock);
    gasnett_mutex_destroy(&run->mutex);
    pthread_barrier_destroy(&run->barrier);
    free(workers);
    free(threads);
    free(run);
    return errors;
}
