// SPDX-License-Identifier: BSD-3-Clause
//
// Mutexes, conditions, read-write locks, thread keys and the self-test, in every thread mode, with
// and without checks.
#include <gasnet_tools.h>
#include <errno.h>
#include <pthread.h>

#include "frame/check.h"

static gasnett_mutex_t mutex = GASNETT_MUTEX_INITIALIZER;
static gasnett_cond_t cond = GASNETT_COND_INITIALIZER;
static gasnett_rwlock_t rwlock = GASNETT_RWLOCK_INITIALIZER;
GASNETT_THREADKEY_DECLARE(key);
GASNETT_THREADKEY_DEFINE(key);

static void test_alone(void)
{
    gasnett_mutex_t m;
    gasnett_cond_t c;
    gasnett_rwlock_t l;
    gasnett_mutex_init(&m);
    gasnett_mutex_assertunlocked(&m);
    gasnett_mutex_lock(&m);
    gasnett_mutex_assertlocked(&m);
    gasnett_mutex_unlock(&m);
    CHECK(gasnett_mutex_trylock(&m) == 0);
    gasnett_mutex_unlock(&m);
    gasnett_mutex_destroy(&m);
    gasnett_mutex_init(&m);
    CHECK(gasnett_mutex_destroy_ignoreerr(&m) == 0);
    gasnett_cond_init(&c);
    gasnett_cond_signal(&c);
    gasnett_cond_broadcast(&c);
    gasnett_cond_destroy(&c);
    gasnett_rwlock_init(&l);
    gasnett_rwlock_assertunlocked(&l);
    gasnett_rwlock_rdlock(&l);
    gasnett_rwlock_assertlocked(&l);
    gasnett_rwlock_assertrdlocked(&l);
    gasnett_rwlock_unlock(&l);
    gasnett_rwlock_wrlock(&l);
    gasnett_rwlock_assertlocked(&l);
    gasnett_rwlock_assertwrlocked(&l);
    gasnett_rwlock_unlock(&l);
    CHECK(gasnett_rwlock_tryrdlock(&l) == 0);
    gasnett_rwlock_unlock(&l);
    CHECK(gasnett_rwlock_trywrlock(&l) == 0);
    gasnett_rwlock_unlock(&l);
    gasnett_rwlock_destroy(&l);
}

static void test_key(void)
{
    int a, b;
    CHECK(gasnett_threadkey_get(key) == NULL);
    gasnett_threadkey_set(key, &a);
    CHECK(gasnett_threadkey_get(key) == &a);
    gasnett_threadkey_init(key);
    gasnett_threadkey_init(key);
    CHECK(gasnett_threadkey_get_noinit(key) == &a);
    gasnett_threadkey_set_noinit(key, &b);
    CHECK(gasnett_threadkey_get(key) == &b);
}

#if defined(GASNETT_THREAD_SAFE)
static int ball, readers;

/** Checks in another thread while the main thread holds the locks. */
static void *look(void *arg)
{
    (void)arg;
    CHECK(gasnett_threadkey_get(key) == NULL);
    CHECK(gasnett_mutex_trylock(&mutex) == EBUSY);
    gasnett_mutex_assertunlocked(&mutex);
    CHECK(gasnett_rwlock_trywrlock(&rwlock) == EBUSY);
    CHECK(gasnett_rwlock_tryrdlock(&rwlock) == 0);  // beside another reader
    readers++;
    gasnett_rwlock_unlock(&rwlock);
    return NULL;
}

static void *return_ball(void *arg)
{
    (void)arg;
    gasnett_mutex_lock(&mutex);
    for (int i = 0; i < 100; i++) {
        while (ball != 1)
            gasnett_cond_wait(&cond, &mutex);
        gasnett_mutex_assertlocked(&mutex);
        ball = 0;
        gasnett_cond_signal(&cond);
    }
    gasnett_mutex_unlock(&mutex);
    return NULL;
}

static void test_threads(void)
{
    pthread_t thread;
    gasnett_mutex_lock(&mutex);
    gasnett_rwlock_rdlock(&rwlock);
    pthread_create(&thread, NULL, look, NULL);
    pthread_join(thread, NULL);
    gasnett_rwlock_unlock(&rwlock);
    gasnett_mutex_unlock(&mutex);
    CHECK(readers == 1);

    pthread_create(&thread, NULL, return_ball, NULL);
    gasnett_mutex_lock(&mutex);
    for (int i = 0; i < 100; i++) {
        ball = 1;
        gasnett_cond_broadcast(&cond);
        while (ball != 0)
            gasnett_cond_wait(&cond, &mutex);
    }
    gasnett_mutex_unlock(&mutex);
    pthread_join(thread, NULL);
    CHECK(gasnett_run_diagnostics(500, 3, NULL, (void *)0) == 0);
    CHECK(gasnett_run_diagnostics(100, 2) == 0);
}
#else
/** Nothing is locked, so no call is refused. */
static void test_threads(void)
{
    gasnett_mutex_lock(&mutex);
    gasnett_rwlock_wrlock(&rwlock);
#if !defined(GASNETT_USE_TRUE_MUTEXES)
    CHECK(gasnett_mutex_trylock(&mutex) == 0);
    CHECK(gasnett_rwlock_tryrdlock(&rwlock) == 0);
    gasnett_cond_wait(&cond, &mutex);
#elif !defined(GASNET_DEBUG)
    CHECK(gasnett_mutex_trylock(&mutex) == EBUSY);
    CHECK(gasnett_rwlock_tryrdlock(&rwlock) == EBUSY);
#endif
    gasnett_rwlock_unlock(&rwlock);
    gasnett_mutex_unlock(&mutex);
    gasnett_cond_signal(&cond);
    CHECK(gasnett_run_diagnostics(100, 1, "ALMT", NULL, NULL, 0, NULL) == 0);
}
#endif

int main(void)
{
    test_alone();
    test_key();
    test_threads();
    printf("%s locks: %d checks, %d failed\n", GASNETT_STRING_OF(GASNETT_THREAD_MODEL), checks_done,
           checks_failed);
    return checks_failed != 0;
}
