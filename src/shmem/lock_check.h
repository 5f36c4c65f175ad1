// SPDX-License-Identifier: BSD-3-Clause
//
// Checking mode: the locks that this PE holds, so that misuse leads to a message instead of a
// deadlock. Not built with -Dchecking=false. Threads: any.
#ifndef SHM_LOCK_CHECK_H
#define SHM_LOCK_CHECK_H

#include "shmem/shm.h"

/** Before set and test: fatal when this PE holds the lock. */
void shm_lock_check_set(const char *func, const long *lock);
void shm_lock_now_held(const long *lock);
/** Before clear: fatal when this PE does not hold the lock; else it no longer does. */
void shm_lock_check_clear(const char *func, const long *lock);

#endif
