// SPDX-License-Identifier: BSD-3-Clause
//
// How threads of the library are started.
#include "base/thread.h"

#include <errno.h>
#include <signal.h>

#define STACK_NBYTES (512u << 10)

void cwu_signals_hold(sigset_t *before_p)
{
    static const int of_instructions[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL,
                                          SIGTRAP, SIGSYS, SIGABRT};
    sigset_t set;
    sigfillset(&set);
    for (size_t i = 0; i < sizeof of_instructions / sizeof *of_instructions; i++)
        sigdelset(&set, of_instructions[i]);
    pthread_sigmask(SIG_BLOCK, &set, before_p);
}

void cwu_signals_release(const sigset_t *before)
{
    pthread_sigmask(SIG_SETMASK, before, NULL);
}

int cwu_thread_start(pthread_t *thread_p, void *(*run)(void *), void *arg, const char *name)
{
    sigset_t all, old;
    pthread_attr_t attr;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    pthread_attr_init(&attr);
    pthread_attr_setstacksize(&attr, STACK_NBYTES);
    int rc = pthread_create(thread_p, &attr, run, arg);
    pthread_attr_destroy(&attr);
    if (rc == EINVAL)  // the thread-local variables do not fit into so small a stack
        rc = pthread_create(thread_p, NULL, run, arg);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    if (rc == 0)
        pthread_setname_np(*thread_p, name);
    return rc;
}
