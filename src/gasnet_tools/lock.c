// SPDX-License-Identifier: BSD-3-Clause
//
// Locks of POSIX with checks. A mutex records its owner; the read-write locks that a thread holds
// stand in a list of the thread, kept only while the client compiles with checks (`where` not
// NULL).
#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "tools.h"

static uintptr_t self(void)
{
    static __thread char mark;
    return (uintptr_t)&mark;  // differs between live threads, and is never 0
}

static void must(int error, const char *call, const char *where)
{
    if (error)
        gasnett_fatalerror_at_(where, "%s: %s", call, strerror(error));
}

// ---------------------------------------------------------------- mutex
// owner is written by the holder only; others compare it with themselves, which no race can make
// equal.
static bool is_mine(const gasnett_mutex_t *mutex)
{
    return __atomic_load_n(&mutex->owner, __ATOMIC_RELAXED) == self();
}

static void set_owner(gasnett_mutex_t *mutex, uintptr_t owner)
{
    __atomic_store_n(&mutex->owner, owner, __ATOMIC_RELAXED);
}

void gasnett_mutex_init_(gasnett_mutex_t *mutex)
{
    must(pthread_mutex_init(&mutex->lock, NULL), "gasnett_mutex_init", NULL);
    set_owner(mutex, 0);
}

int gasnett_mutex_destroy_(gasnett_mutex_t *mutex, int ignore_errors)
{
    int error = pthread_mutex_destroy(&mutex->lock);
    if (!ignore_errors)
        must(error, "gasnett_mutex_destroy", NULL);
    return error;
}

void gasnett_mutex_lock_(gasnett_mutex_t *mutex, const char *where)
{
    if (where && is_mine(mutex))
        gasnett_fatalerror_at_(where, "gasnett_mutex_lock: this thread holds the mutex %p already",
                               (void *)mutex);
    must(pthread_mutex_lock(&mutex->lock), "gasnett_mutex_lock", where);
    set_owner(mutex, self());
}

int gasnett_mutex_trylock_(gasnett_mutex_t *mutex, const char *where)
{
    if (where && is_mine(mutex))
        gasnett_fatalerror_at_(
            where, "gasnett_mutex_trylock: this thread holds the mutex %p already", (void *)mutex);
    int error = pthread_mutex_trylock(&mutex->lock);
    if (error != EBUSY)
        must(error, "gasnett_mutex_trylock", where);
    if (!error)
        set_owner(mutex, self());
    return error;
}

void gasnett_mutex_unlock_(gasnett_mutex_t *mutex, const char *where)
{
    if (where && !is_mine(mutex))
        gasnett_fatalerror_at_(
            where, "gasnett_mutex_unlock: this thread does not hold the mutex %p", (void *)mutex);
    set_owner(mutex, 0);
    must(pthread_mutex_unlock(&mutex->lock), "gasnett_mutex_unlock", where);
}

void gasnett_mutex_assert_(gasnett_mutex_t *mutex, int locked, const char *where)
{
    if (is_mine(mutex) != (locked != 0))
        gasnett_fatalerror_at_(where, "assertion failed: the mutex %p is %sheld by this thread",
                               (void *)mutex, locked ? "not " : "");
}

// ---------------------------------------------------------------- condition
void gasnett_cond_init_(gasnett_cond_t *cond)
{
    must(pthread_cond_init(&cond->cond, NULL), "gasnett_cond_init", NULL);
}

void gasnett_cond_destroy_(gasnett_cond_t *cond)
{
    must(pthread_cond_destroy(&cond->cond), "gasnett_cond_destroy", NULL);
}

void gasnett_cond_signal_(gasnett_cond_t *cond)
{
    must(pthread_cond_signal(&cond->cond), "gasnett_cond_signal", NULL);
}

void gasnett_cond_broadcast_(gasnett_cond_t *cond)
{
    must(pthread_cond_broadcast(&cond->cond), "gasnett_cond_broadcast", NULL);
}

void gasnett_cond_wait_(gasnett_cond_t *cond, gasnett_mutex_t *mutex, const char *where)
{
    if (where && !is_mine(mutex))
        gasnett_fatalerror_at_(where, "gasnett_cond_wait: this thread does not hold the mutex %p",
                               (void *)mutex);
    set_owner(mutex, 0);
    must(pthread_cond_wait(&cond->cond, &mutex->lock), "gasnett_cond_wait", where);
    set_owner(mutex, self());
}

// ---------------------------------------------------------------- read-write lock
_Static_assert(sizeof(pthread_rwlock_t) <= sizeof(gasnett_rwlock_t),
               "gasnett_rwlock_t has room for the system's lock");
_Static_assert(_Alignof(pthread_rwlock_t) <= _Alignof(gasnett_rwlock_t), "and its alignment");

static pthread_rwlock_t *real(gasnett_rwlock_t *lock)
{
    return (pthread_rwlock_t *)(void *)lock->lock.room;
}

typedef struct held {
    struct held *next;
    gasnett_rwlock_t *lock;
    int mode;
} held_t;

static __thread held_t *held;  // locks that this thread holds

static held_t **find_held(gasnett_rwlock_t *lock)
{
    held_t **h = &held;
    while (*h && (*h)->lock != lock)
        h = &(*h)->next;
    return h;
}

static void add_held(gasnett_rwlock_t *lock, int mode, const char *where)
{
    held_t *h = malloc(sizeof *h);
    if (!h)
        gasnett_fatalerror_at_(where, "out of memory");
    *h = (held_t){.next = held, .lock = lock, .mode = mode};
    held = h;
}

static const char *lock_name(int mode, bool try)
{
    if (mode == GASNETT_RW_READ)
        return try ? "gasnett_rwlock_tryrdlock" : "gasnett_rwlock_rdlock";
    return try ? "gasnett_rwlock_trywrlock" : "gasnett_rwlock_wrlock";
}

static void refuse_second(gasnett_rwlock_t *lock, const char *call, const char *where)
{
    if (where && *find_held(lock))
        gasnett_fatalerror_at_(where, "%s: this thread holds the lock %p already", call,
                               (void *)lock);
}

void gasnett_rwlock_init_(gasnett_rwlock_t *lock)
{
    must(pthread_rwlock_init(real(lock), NULL), "gasnett_rwlock_init", NULL);
}

void gasnett_rwlock_destroy_(gasnett_rwlock_t *lock)
{
    must(pthread_rwlock_destroy(real(lock)), "gasnett_rwlock_destroy", NULL);
}

void gasnett_rwlock_lock_(gasnett_rwlock_t *lock, int mode, const char *where)
{
    refuse_second(lock, lock_name(mode, false), where);
    int error;
    // EAGAIN: more readers than the system can count.
    while ((error = mode == GASNETT_RW_READ ? pthread_rwlock_rdlock(real(lock))
                                            : pthread_rwlock_wrlock(real(lock))) == EAGAIN)
        gasnett_nsleep(1000000);
    must(error, lock_name(mode, false), where);
    if (where)
        add_held(lock, mode, where);
}

int gasnett_rwlock_trylock_(gasnett_rwlock_t *lock, int mode, const char *where)
{
    refuse_second(lock, lock_name(mode, true), where);
    int error = mode == GASNETT_RW_READ ? pthread_rwlock_tryrdlock(real(lock))
                                        : pthread_rwlock_trywrlock(real(lock));
    if (error != EBUSY && error != EAGAIN)
        must(error, lock_name(mode, true), where);
    if (!error && where)
        add_held(lock, mode, where);
    return error;
}

void gasnett_rwlock_unlock_(gasnett_rwlock_t *lock, const char *where)
{
    held_t **h = find_held(lock), *found = *h;
    if (where && !found)
        gasnett_fatalerror_at_(
            where, "gasnett_rwlock_unlock: this thread does not hold the lock %p", (void *)lock);
    if (found) {
        *h = found->next;
        free(found);
    }
    must(pthread_rwlock_unlock(real(lock)), "gasnett_rwlock_unlock", where);
}

void gasnett_rwlock_assert_(gasnett_rwlock_t *lock, int state, const char *where)
{
    static const char *const wanted[] = {"locked", "locked for reading", "locked for writing",
                                         "not locked"};
    const held_t *h = *find_held(lock);
    bool good = state == GASNETT_RW_NONE ? !h : h && (state == GASNETT_RW_ANY || state == h->mode);
    if (!good)
        gasnett_fatalerror_at_(where, "assertion failed: the lock %p should be %s by this thread",
                               (void *)lock, wanted[state]);
}
