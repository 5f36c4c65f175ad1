// SPDX-License-Identifier: BSD-3-Clause
//
// GASNet tools, locks and thread-specific pointers. Mutexes, conditions and read-write locks are
// those of POSIX in thread-safe mode and nothing in single-threaded mode (unless
// GASNETT_USE_TRUE_MUTEXES is 1). They are never recursive. With -DGASNET_DEBUG wrong use ends the
// process with a message that names file, line and mistake. Included by <gasnet_tools.h> only.
#ifndef CAUSEWAY_GASNETT_LOCK_H
#define CAUSEWAY_GASNETT_LOCK_H

#include <pthread.h>
#include <stdint.h>

#include "gasnett_base.h"

GASNETT_BEGIN_EXTERNC

// `where`: "file:line" turns the checks on; NULL turns them off.
#if defined(GASNET_DEBUG) && !defined(GASNET_NDEBUG)
#define GASNETT_WHERE_ __FILE__ ":" GASNETT_STRING_OF(__LINE__)
#else
#define GASNETT_WHERE_ ((const char *)0)
#endif
#if defined(GASNETT_THREAD_SAFE) || (defined(GASNETT_USE_TRUE_MUTEXES) && GASNETT_USE_TRUE_MUTEXES)
#define GASNETT_REAL_LOCKS_ 1
#endif

typedef struct {
    pthread_mutex_t lock;
    uintptr_t owner; // the thread that holds it, as far as checks know
} gasnett_mutex_t;
#define GASNETT_MUTEX_INITIALIZER { PTHREAD_MUTEX_INITIALIZER, 0 }

typedef struct {
    pthread_cond_t cond;
} gasnett_cond_t;
#define GASNETT_COND_INITIALIZER { PTHREAD_COND_INITIALIZER }

// Room for a pthread_rwlock_t, which strict C hides; all zero is an unlocked one.
typedef struct {
    union {
        char room[64];
        uint64_t align;
    } lock;
} gasnett_rwlock_t;
#define GASNETT_RWLOCK_INITIALIZER { { { 0 } } }

void gasnett_mutex_init_(gasnett_mutex_t *mutex);
int gasnett_mutex_destroy_(gasnett_mutex_t *mutex, int ignore_errors);
void gasnett_mutex_lock_(gasnett_mutex_t *mutex, const char *where);
int gasnett_mutex_trylock_(gasnett_mutex_t *mutex, const char *where);
void gasnett_mutex_unlock_(gasnett_mutex_t *mutex, const char *where);
void gasnett_mutex_assert_(gasnett_mutex_t *mutex, int locked, const char *where);
void gasnett_cond_init_(gasnett_cond_t *cond);
void gasnett_cond_destroy_(gasnett_cond_t *cond);
void gasnett_cond_signal_(gasnett_cond_t *cond);
void gasnett_cond_broadcast_(gasnett_cond_t *cond);
void gasnett_cond_wait_(gasnett_cond_t *cond, gasnett_mutex_t *mutex, const char *where);

#define GASNETT_RW_ANY 0 /* what an assertion asks for */
#define GASNETT_RW_READ 1
#define GASNETT_RW_WRITE 2
#define GASNETT_RW_NONE 3
void gasnett_rwlock_init_(gasnett_rwlock_t *lock);
void gasnett_rwlock_destroy_(gasnett_rwlock_t *lock);
void gasnett_rwlock_lock_(gasnett_rwlock_t *lock, int mode, const char *where);
int gasnett_rwlock_trylock_(gasnett_rwlock_t *lock, int mode, const char *where);
void gasnett_rwlock_unlock_(gasnett_rwlock_t *lock, const char *where);
void gasnett_rwlock_assert_(gasnett_rwlock_t *lock, int state, const char *where);

#if defined(GASNETT_REAL_LOCKS_)
#define gasnett_mutex_init(m) gasnett_mutex_init_(m)
#define gasnett_mutex_destroy(m) ((void)gasnett_mutex_destroy_(m, 0))
#define gasnett_mutex_destroy_ignoreerr(m) gasnett_mutex_destroy_(m, 1)
#define gasnett_mutex_lock(m) gasnett_mutex_lock_(m, GASNETT_WHERE_)
#define gasnett_mutex_trylock(m) gasnett_mutex_trylock_(m, GASNETT_WHERE_)
#define gasnett_mutex_unlock(m) gasnett_mutex_unlock_(m, GASNETT_WHERE_)
#define gasnett_cond_init(c) gasnett_cond_init_(c)
#define gasnett_cond_destroy(c) gasnett_cond_destroy_(c)
#define gasnett_cond_signal(c) gasnett_cond_signal_(c)
#define gasnett_cond_broadcast(c) gasnett_cond_broadcast_(c)
#define gasnett_cond_wait(c, m) gasnett_cond_wait_(c, m, GASNETT_WHERE_)
#define gasnett_rwlock_init(l) gasnett_rwlock_init_(l)
#define gasnett_rwlock_destroy(l) gasnett_rwlock_destroy_(l)
#define gasnett_rwlock_rdlock(l) gasnett_rwlock_lock_(l, GASNETT_RW_READ, GASNETT_WHERE_)
#define gasnett_rwlock_wrlock(l) gasnett_rwlock_lock_(l, GASNETT_RW_WRITE, GASNETT_WHERE_)
#define gasnett_rwlock_tryrdlock(l) gasnett_rwlock_trylock_(l, GASNETT_RW_READ, GASNETT_WHERE_)
#define gasnett_rwlock_trywrlock(l) gasnett_rwlock_trylock_(l, GASNETT_RW_WRITE, GASNETT_WHERE_)
#define gasnett_rwlock_unlock(l) gasnett_rwlock_unlock_(l, GASNETT_WHERE_)
#else
#define gasnett_mutex_init(m) ((void)(m))
#define gasnett_mutex_destroy(m) ((void)(m))
#define gasnett_mutex_destroy_ignoreerr(m) ((void)(m), 0)
#define gasnett_mutex_lock(m) ((void)(m))
#define gasnett_mutex_trylock(m) ((void)(m), 0)
#define gasnett_mutex_unlock(m) ((void)(m))
#define gasnett_cond_init(c) ((void)(c))
#define gasnett_cond_destroy(c) ((void)(c))
#define gasnett_cond_signal(c) ((void)(c))
#define gasnett_cond_broadcast(c) ((void)(c))
#define gasnett_cond_wait(c, m) ((void)(c), (void)(m))
#define gasnett_rwlock_init(l) ((void)(l))
#define gasnett_rwlock_destroy(l) ((void)(l))
#define gasnett_rwlock_rdlock(l) ((void)(l))
#define gasnett_rwlock_wrlock(l) ((void)(l))
#define gasnett_rwlock_tryrdlock(l) ((void)(l), 0)
#define gasnett_rwlock_trywrlock(l) ((void)(l), 0)
#define gasnett_rwlock_unlock(l) ((void)(l))
#endif

#if defined(GASNETT_REAL_LOCKS_) && defined(GASNET_DEBUG) && !defined(GASNET_NDEBUG)
#define gasnett_mutex_assertlocked(m) gasnett_mutex_assert_(m, 1, GASNETT_WHERE_)
#define gasnett_mutex_assertunlocked(m) gasnett_mutex_assert_(m, 0, GASNETT_WHERE_)
#define gasnett_rwlock_assertlocked(l) gasnett_rwlock_assert_(l, GASNETT_RW_ANY, GASNETT_WHERE_)
#define gasnett_rwlock_assertrdlocked(l) gasnett_rwlock_assert_(l, GASNETT_RW_READ, GASNETT_WHERE_)
#define gasnett_rwlock_assertwrlocked(l) gasnett_rwlock_assert_(l, GASNETT_RW_WRITE, GASNETT_WHERE_)
#define gasnett_rwlock_assertunlocked(l) gasnett_rwlock_assert_(l, GASNETT_RW_NONE, GASNETT_WHERE_)
#else
#define gasnett_mutex_assertlocked(m) ((void)(m))
#define gasnett_mutex_assertunlocked(m) ((void)(m))
#define gasnett_rwlock_assertlocked(l) ((void)(l))
#define gasnett_rwlock_assertrdlocked(l) ((void)(l))
#define gasnett_rwlock_assertwrlocked(l) ((void)(l))
#define gasnett_rwlock_assertunlocked(l) ((void)(l))
#endif

// ---------------------------------------------------------------- a pointer of each thread
#if defined(GASNETT_THREAD_SAFE)
#define GASNETT_THREADKEY_KIND_ __thread
#else
#define GASNETT_THREADKEY_KIND_
#endif
#define GASNETT_THREADKEY_DECLARE(key) extern GASNETT_THREADKEY_KIND_ void *gasnett_threadkey_##key
#define GASNETT_THREADKEY_DEFINE(key)      \
    GASNETT_THREADKEY_DECLARE(key);        \
    GASNETT_THREADKEY_KIND_ void *gasnett_threadkey_##key = 0
#define gasnett_threadkey_init(key) ((void)0)
/** A key of POSIX, once: clients take the address of this function, though no key here needs it. */
GASNETT_PLEASE_INLINE(_gasneti_threadkey_init)
void _gasneti_threadkey_init(pthread_key_t *value, gasnett_mutex_t *initmutex, volatile int *isinit)
{
    gasnett_mutex_lock_(initmutex, (const char *)0);
    if (!*isinit)
        *isinit = pthread_key_create(value, NULL) == 0;
    gasnett_mutex_unlock_(initmutex, (const char *)0);
}
#define gasnett_threadkey_get(key) (gasnett_threadkey_##key)
#define gasnett_threadkey_set(key, newvalue) ((void)(gasnett_threadkey_##key = (void *)(newvalue)))
#define gasnett_threadkey_get_noinit(key) gasnett_threadkey_get(key)
#define gasnett_threadkey_set_noinit(key, newvalue) gasnett_threadkey_set(key, newvalue)

GASNETT_END_EXTERNC

#endif
