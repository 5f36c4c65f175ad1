// SPDX-License-Identifier: BSD-3-Clause
/*
 * Do threads of one PE hold each other up? How many operations a second PE 0 does to PE 1 with one
 * thread, with two on a private context each, and with two on the default context. Two threads do
 * twice as many where nothing is shared, as long as there is a core for each: off the node on two
 * cores, the target wants one of them.
 * OpenSHMEM 1.4 with contexts and SHMEM_THREAD_MULTIPLE. Batches begin together, at a barrier of
 * the threads.
 */
#define _GNU_SOURCE
#include "common.h"

#include <pthread.h>
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 2, BLOCK = 1024, LINE = 128 };

struct worker {
    shmem_ctx_t ctx;
    char *cell, *block; // symmetric, lines of its own
    char from[BLOCK];
};

typedef void (*op_fn)(struct worker *w, size_t count);

static void p(struct worker *w, size_t count)
{
    for (size_t i = 0; i < count; i++)
        shmem_ctx_long_p(w->ctx, (long *)w->cell, (long)i, 1);
    shmem_ctx_quiet(w->ctx);
}

static void put(struct worker *w, size_t count)
{
    while (count--)
        shmem_ctx_putmem(w->ctx, w->block, w->from, BLOCK, 1);
    shmem_ctx_quiet(w->ctx);
}

static void fetch_add(struct worker *w, size_t count)
{
    while (count--)
        shmem_ctx_long_atomic_fetch_add(w->ctx, (long *)w->cell, 1, 1);
}

static const struct {
    const char *name;
    op_fn op;
    size_t nbytes, local, remote; // operations of a batch, by where the target is
} OPS[] = {{"p", p, 8, 400000, 2000},
           {"put", put, BLOCK, 60000, 500},
           {"fetch_add", fetch_add, 8, 150000, 50}};

static struct worker workers[THREADS];
static shmem_ctx_t own[THREADS];
static pthread_barrier_t start, end;
static op_fn job; // NULL: go home
static size_t job_count;

static void *help(void *arg)
{
    for (;;) {
        pthread_barrier_wait(&start);
        if (!job)
            return arg;
        job(arg, job_count);
        pthread_barrier_wait(&end);
    }
}

// One batch of each of n threads, by the clock of the first.
static void batch(void *arg, size_t count)
{
    int n = *(int *)arg;
    job_count = count / (size_t)n;
    if (n == 1) {
        job(&workers[0], job_count);
        return;
    }
    pthread_barrier_wait(&start);
    job(&workers[0], job_count);
    pthread_barrier_wait(&end);
}

static void measure(const struct bench_opts *opts, size_t i, const char *how, int n, int private)
{
    struct bench_series series = {0};
    char name[64];
    size_t each = shmem_ptr(workers[0].cell, 1) ? OPS[i].local : OPS[i].remote;
    for (int t = 0; t < THREADS; t++)
        workers[t].ctx = private ? own[t] : SHMEM_CTX_DEFAULT;
    job = OPS[i].op;
    snprintf(name, sizeof name, "%s.%s", OPS[i].name, how);
    bench_measure_batch(opts, batch, NULL, &n, each * (size_t)n, &series);
    for (size_t s = 0; s < series.n; s++)
        series.v[s] = 1e3 / series.v[s]; // ns an operation -> Mop/s
    bench_emit(opts, "threads", name, OPS[i].nbytes, "Mop/s", &series);
}

static void origin(const struct bench_opts *opts)
{
    pthread_t helper;
    pthread_barrier_init(&start, NULL, THREADS);
    pthread_barrier_init(&end, NULL, THREADS);
    for (int t = 0; t < THREADS; t++)
        if (shmem_ctx_create(SHMEM_CTX_PRIVATE, &own[t]))
            own[t] = SHMEM_CTX_DEFAULT;
    if (pthread_create(&helper, NULL, help, &workers[1])) {
        fprintf(stderr, "threads: no thread\n");
        shmem_global_exit(1);
    }
    for (size_t i = 0; i < sizeof OPS / sizeof OPS[0]; i++) {
        if (!bench_wants(opts, OPS[i].name))
            continue;
        measure(opts, i, "one", 1, 1);
        measure(opts, i, "two_private", 2, 1);
        measure(opts, i, "two_default", 2, 0);
    }
    job = NULL;
    pthread_barrier_wait(&start);
    pthread_join(helper, NULL);
    for (int t = 0; t < THREADS; t++)
        if (own[t] != SHMEM_CTX_DEFAULT)
            shmem_ctx_destroy(own[t]);
}

int main(int argc, char **argv)
{
    struct bench_opts opts;
    int provided;
    bench_parse(argc, argv, &opts);
    shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided);
    if (provided != SHMEM_THREAD_MULTIPLE || shmem_n_pes() < 2) {
        fprintf(stderr, "threads: needs SHMEM_THREAD_MULTIPLE and 2 PEs\n");
        shmem_global_exit(2);
    }
    char *cells = shmem_align(4096, THREADS * LINE), *blocks = shmem_align(4096, THREADS * BLOCK);
    memset(cells, 0, THREADS * LINE);
    memset(blocks, 0, THREADS * BLOCK);
    for (int t = 0; t < THREADS; t++) {
        workers[t].cell = cells + t * LINE;
        workers[t].block = blocks + t * BLOCK;
    }
    shmem_barrier_all();
    if (shmem_my_pe() == 0)
        origin(&opts);
    shmem_barrier_all();
    shmem_finalize();
    return 0;
}
