// SPDX-License-Identifier: BSD-3-Clause
//
// Threads of the library beside those of the program.
#ifndef CW_BASE_THREAD_H
#define CW_BASE_THREAD_H

#include <pthread.h>
#include <signal.h>

/** Starts a thread with all signals blocked, since they are the program's business, and a stack of
 *  512 KiB, or more where the program's thread-local variables need it. name: at most 15
 *  characters. 0, or an errno value. */
int cwu_thread_start(pthread_t *thread_p, void *(*run)(void *), void *arg, const char *name);

/** Signals of this thread wait, but those of its instructions: a handler may use the library,
 *  or end the process, in the midst of what cannot be entered twice. */
void cwu_signals_hold(sigset_t *before_p);
void cwu_signals_release(const sigset_t *before);

#endif
