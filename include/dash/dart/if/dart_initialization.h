// SPDX-License-Identifier: BSD-3-Clause
//
// DART 3.2: joining and leaving the job. Collective over all units.
#ifndef DART_INITIALIZATION_H_INCLUDED
#define DART_INITIALIZATION_H_INCLUDED

#include <dash/dart/if/dart_types.h>
#include <dash/dart/if/dart_util.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Joins the job; again after dart_exit, as often as wanted. The arguments may be NULL. Where the
 *  program is linked with an MPI and has no call of MPI_Init, this makes it; the end of the process
 *  then calls MPI_Finalize (dart(7)). */
dart_ret_t dart_init(int *argc, char ***argv) DART_NOTHROW;
/** As above, for a program with threads. *thread_safety says what it may do: DART_THREAD_MULTIPLE,
 *  but DART_THREAD_SINGLE where another interface has joined the job with less. */
dart_ret_t dart_init_thread(int *argc, char ***argv,
                            dart_thread_support_level_t *thread_safety) DART_NOTHROW;
dart_ret_t dart_exit(void) DART_NOTHROW;
bool dart_initialized(void) DART_NOTHROW;
/** Ends all units. */
void dart_abort(int errorcode) __attribute__((__noreturn__));

#ifdef __cplusplus
}
#endif

#endif
