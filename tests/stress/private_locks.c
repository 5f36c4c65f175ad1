// SPDX-License-Identifier: BSD-3-Clause
//
// Two threads on two private contexts do not delay each other: no lock that one takes in its
// transfers is ever taken by the other, neither Causeway's nor the provider's. All locks of the
// process are observed, since this program defines pthread_mutex_lock and its kin. The control: on
// the default context, off the node, the threads do share a lock.
//
// A waiting thread also serves as the node's server if that is free at the moment (a trylock):
// locks taken meanwhile are the server's, delay no other thread, and are not counted.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <shmem.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 2, MOST = 512, ROUNDS = 200, BLOCK = 1024 };

typedef struct seen {
    const void *lock[MOST];
    size_t n;
} seen_t;

static _Thread_local seen_t *recording;
static _Thread_local const void *tried;  // held by a trylock that succeeded

static void note(const void *lock)
{
    seen_t *seen = recording;
    if (!seen || tried)
        return;
    for (size_t i = 0; i < seen->n; i++)
        if (seen->lock[i] == lock)
            return;
    if (seen->n < MOST)
        seen->lock[seen->n++] = lock;
}

#define REAL(type, name)                                 \
    static type *real;                                   \
    type *fn = __atomic_load_n(&real, __ATOMIC_RELAXED); \
    if (!fn) {                                           \
        fn = (type *)dlsym(RTLD_NEXT, name);             \
        __atomic_store_n(&real, fn, __ATOMIC_RELAXED);   \
    }

typedef int mutex_fn(pthread_mutex_t *);
typedef int spin_fn(pthread_spinlock_t *);

int pthread_mutex_lock(pthread_mutex_t *m)
{
    REAL(mutex_fn, "pthread_mutex_lock")
    note(m);
    return fn(m);
}

int pthread_mutex_trylock(pthread_mutex_t *m)
{
    REAL(mutex_fn, "pthread_mutex_trylock")
    int rc = fn(m);
    if (rc == 0 && !tried)
        tried = m;
    return rc;
}

int pthread_mutex_unlock(pthread_mutex_t *m)
{
    REAL(mutex_fn, "pthread_mutex_unlock")
    if (tried == m)
        tried = NULL;
    return fn(m);
}

int pthread_spin_lock(pthread_spinlock_t *s)
{
    REAL(spin_fn, "pthread_spin_lock")
    note((const void *)s);
    return fn(s);
}

static int peer;
static long *words;
static char *blocks;
static pthread_barrier_t together;
static seen_t seen[THREADS];

static void transfers(shmem_ctx_t ctx, int t, int rounds)
{
    static char here[THREADS][BLOCK];
    char *block = blocks + (size_t)t * BLOCK;
    long *word = words + (ptrdiff_t)t * 64, value;
    for (int r = 0; r < rounds; r++) {
        shmem_ctx_long_p(ctx, word, r, peer);
        shmem_ctx_putmem(ctx, block, here[t], 64, peer);
        shmem_ctx_putmem(ctx, block, here[t], BLOCK, peer);
        shmem_ctx_putmem_nbi(ctx, block, here[t], BLOCK, peer);
        shmem_ctx_fence(ctx);
        shmem_ctx_long_atomic_add(ctx, word + 8, 1, peer);
        shmem_ctx_quiet(ctx);
        value = shmem_ctx_long_g(ctx, word, peer);
        if (value != r)
            printf("FAIL: thread %d round %d: %ld\n", t, r, value), shmem_global_exit(1);
        shmem_ctx_getmem(ctx, here[t], block, BLOCK, peer);
        shmem_ctx_getmem_nbi(ctx, here[t], block, BLOCK, peer);
        shmem_ctx_long_atomic_fetch_add(ctx, word + 16, 1, peer);
        shmem_ctx_quiet(ctx);
    }
}

static void in_common(int *n, const char **where)
{
    *n = 0;
    for (size_t i = 0; i < seen[0].n; i++)
        for (size_t k = 0; k < seen[1].n; k++)
            if (seen[0].lock[i] == seen[1].lock[k]) {
                Dl_info info;
                *where = dladdr(seen[0].lock[i], &info) && info.dli_sname ? info.dli_sname
                                                                          : "on the heap";
                ++*n;
            }
}

/** Both threads are between two barriers: nothing is being recorded. */
static void judge(const char *whose, bool private, bool off_node)
{
    const char *where = "";
    int n;
    in_common(&n, &where);
    printf("%s: %zu and %zu locks, %d in common\n", whose, seen[0].n, seen[1].n, n);
    if (seen[0].n == MOST || seen[1].n == MOST)
        printf("FAIL: more than %d locks\n", MOST - 1), shmem_global_exit(1);
    if (private && n > 0)
        printf("FAIL: the threads share a lock (%s)\n", where), shmem_global_exit(1);
    if (private && !off_node && seen[0].n + seen[1].n > 0)
        printf("FAIL: a lock for transfers within the node\n"), shmem_global_exit(1);
    if (!private && off_node && n == 0)
        printf("FAIL: the control found nothing: locks are not seen\n"), shmem_global_exit(1);
    memset(seen, 0, sizeof seen);
}

static void *work(void *arg)
{
    int t = (int)(long)arg;
    shmem_ctx_t own = SHMEM_CTX_INVALID;
    if (shmem_ctx_create(SHMEM_CTX_PRIVATE, &own))
        printf("FAIL: no private context\n"), shmem_global_exit(1);
    bool off_node = !shmem_ptr(words, peer);
    for (int pass = 0; pass < 2; pass++) {
        shmem_ctx_t ctx = pass == 0 ? own : SHMEM_CTX_DEFAULT;
        transfers(ctx, t, 2);  // connects
        pthread_barrier_wait(&together);
        recording = &seen[t];
        transfers(ctx, t, ROUNDS);
        recording = NULL;
        pthread_barrier_wait(&together);
        if (t == 0)
            judge(pass == 0 ? "private contexts" : "default context", pass == 0, off_node);
        pthread_barrier_wait(&together);
    }
    shmem_ctx_destroy(own);
    return NULL;
}

int main(void)
{
    int provided;
    if (shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided) || provided != SHMEM_THREAD_MULTIPLE)
        shmem_global_exit(2);
    peer = shmem_n_pes() - 1;
    words = shmem_calloc(THREADS * 64, sizeof *words);
    blocks = shmem_calloc(THREADS, BLOCK);
    shmem_barrier_all();
    if (shmem_my_pe() == 0) {
        pthread_t thread[THREADS];
        pthread_barrier_init(&together, NULL, THREADS);
        for (long t = 0; t < THREADS; t++)
            pthread_create(&thread[t], NULL, work, (void *)t);
        for (int t = 0; t < THREADS; t++)
            pthread_join(thread[t], NULL);
    }
    shmem_barrier_all();
    shmem_finalize();
    return 0;
}
