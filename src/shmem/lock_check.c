// SPDX-License-Identifier: BSD-3-Clause
//
// The list of the locks that this PE holds (lock_check.h).
#include "shmem/lock_check.h"

#include <pthread.h>
#include <stdlib.h>

#include "core/observe/check.h"

typedef struct held {
    struct held *next;
    const long *lock;
} held_t;

static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;  // guards the list
static held_t *all;

/** The link that points to the entry of a lock, or the last link. Guard held. */
static held_t **find(const long *lock)
{
    held_t **link = &all;
    while (*link && (*link)->lock != lock)
        link = &(*link)->next;
    return link;
}

void shm_lock_check_set(const char *func, const long *lock)
{
    pthread_mutex_lock(&guard);
    bool held = *find(lock) != NULL;
    pthread_mutex_unlock(&guard);
    if (held)
        shm_bad_set(func, lock);
}

/** At the end of the job. */
static void report_held(void)
{
    while (all) {
        held_t *h = all;
        all = h->next;
        cw_check_leak("lock", "the lock at %s is still set by PE %d; shmem_clear_lock it",
                      cw_at(h->lock, sizeof *h->lock), cw_world.pe);
        free(h);
    }
}

void shm_lock_now_held(const long *lock)
{
    held_t *h = malloc(sizeof *h);
    if (!h)
        cwu_fatal("out of memory in checking mode");
    h->lock = lock;
    pthread_mutex_lock(&guard);
    h->next = all;
    all = h;
    pthread_mutex_unlock(&guard);
    cw_check_at_end(report_held);
}

void shm_lock_check_clear(const char *func, const long *lock)
{
    pthread_mutex_lock(&guard);
    held_t **link = find(lock), *h = *link;
    if (h)
        *link = h->next;
    pthread_mutex_unlock(&guard);
    if (!h)
        shm_bad_release(func, lock);
    free(h);
}
