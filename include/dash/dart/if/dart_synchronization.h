// SPDX-License-Identifier: BSD-3-Clause
//
// DART 3.2: locks between the units of a team, and the threads of each.
#ifndef DART_SYNCHRONIZATION_H_INCLUDED
#define DART_SYNCHRONIZATION_H_INCLUDED

#include <dash/dart/if/dart_types.h>
#include <dash/dart/if/dart_util.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Held by one thread of one unit at a time. It is not recursive. */
typedef struct dart_lock_struct *dart_lock_t;
#define DART_LOCK_NULL ((dart_lock_t)NULL)

/** Collective over the team. */
dart_ret_t dart_team_lock_init(dart_team_t teamid, dart_lock_t *lock) DART_NOTHROW;
/** Collective over the team. */
dart_ret_t dart_team_lock_destroy(dart_lock_t *lock) DART_NOTHROW;
dart_ret_t dart_lock_acquire(dart_lock_t lock) DART_NOTHROW;
/** *result: 1 if the lock is now the caller's, else 0. */
dart_ret_t dart_lock_try_acquire(dart_lock_t lock, int32_t *result) DART_NOTHROW;
dart_ret_t dart_lock_release(dart_lock_t lock) DART_NOTHROW;
bool dart_lock_initialized(struct dart_lock_struct const *lock) DART_NOTHROW;

#ifdef __cplusplus
}
#endif

#endif
