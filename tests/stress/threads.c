// SPDX-License-Identifier: BSD-3-Clause
//
// Threads against one another: THREADS of each PE put, get and count at once, on the default
// context, a common one and their own. Two claims: nothing is lost, and a thread's quiet completes
// all that the thread issued, also while others issue or complete theirs. Races would show in the
// second: a value that was put, completed and then read from its target over another context
// (another path, without order between them) must be there.
#include <pthread.h>
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>

#define MAX_THREADS 8

static long mailbox[MAX_THREADS * 8], added[MAX_THREADS * 8], all;  // one line each
static int me, npes, peer, nthreads, rounds;
static shmem_ctx_t common;
static _Atomic int failures;

static void wrong(const char *what, int thread, long round, long is, long should_be)
{
    if (failures++ < 10)
        printf("FAIL PE %d thread %d round %ld: %s is %ld, not %ld\n", me, thread, round, what, is,
               should_be);
}

static void *work(void *arg)
{
    int t = (int)(long)arg;
    shmem_ctx_t own, judge;
    if (shmem_ctx_create(SHMEM_CTX_PRIVATE, &own) ||
        shmem_ctx_create(SHMEM_CTX_PRIVATE | SHMEM_CTX_NOSTORE, &judge)) {
        wrong("a context", t, 0, 0, 1);
        return NULL;
    }
    shmem_ctx_t issue[] = {SHMEM_CTX_DEFAULT, common, own};
    long *box = &mailbox[t * 8], *sum = &added[t * 8];
    for (long r = 1; r <= rounds; r++) {
        shmem_ctx_t ctx = issue[r % 3];
        if (r % 7 == 0)
            shmem_ctx_session_start(ctx, SHMEM_CTX_SESSION_BATCH, NULL, 0);
        if (r % 5 == 0) {
            long out = r;
            shmem_ctx_long_put(ctx, box, &out, 1, peer);
        } else {
            shmem_ctx_long_p(ctx, box, r, peer);
        }
        shmem_ctx_long_atomic_add(ctx, sum, 1, peer);
        shmem_ctx_long_atomic_inc(ctx, &all, peer);
        shmem_ctx_quiet(ctx);
        long is = shmem_ctx_long_g(judge, box, peer),
             count = shmem_ctx_long_atomic_fetch(judge, sum, peer);
        if (is != r)
            wrong("what quiet completed", t, r, is, r);
        if (count != r)
            wrong("the count", t, r, count, r);
        if (r % 7 == 0)
            shmem_ctx_session_stop(ctx);
        // Puts that are in flight when any thread calls quiet next.
        for (int i = 0; i < (int)(r % 4) * 8; i++)
            shmem_ctx_long_p(ctx, box + 1 + i % 7, r, peer);
    }
    shmem_ctx_destroy(judge);
    shmem_ctx_destroy(own);
    return NULL;
}

int main(int argc, char **argv)
{
    int provided;
    nthreads = argc > 1 ? atoi(argv[1]) : 4;
    rounds = argc > 2 ? atoi(argv[2]) : 400;
    shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided);
    me = shmem_my_pe();
    npes = shmem_n_pes();
    peer = (me + npes / 2) % npes;
    if (shmem_ctx_create(0, &common))
        wrong("the common context", 0, 0, 0, 1);
    shmem_barrier_all();
    pthread_t thread[MAX_THREADS];
    for (long t = 0; t < nthreads; t++)
        pthread_create(&thread[t], NULL, work, (void *)t);
    for (int t = 0; t < nthreads; t++)
        pthread_join(thread[t], NULL);
    shmem_barrier_all();
    if (all != (long)nthreads * rounds)
        wrong("the sum of all", -1, 0, all, (long)nthreads * rounds);
    shmem_finalize();
    return failures != 0;
}
