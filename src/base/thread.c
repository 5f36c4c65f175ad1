// SPDX-License-Identifier: BSD-3-Clause
//
// How threads of the library are started; yields, measured.
#include "base/thread.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>

#include "base/clock.h"

#define STACK_NBYTES (512u << 10)

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

_Atomic uint64_t cwu_yield_dear_until_ns;

/** Threads that find yields dear at the same time lose an update of the other, no more. */
static void remember_dear(uint64_t now)
{
    static _Atomic uint64_t memory_ns, end_ns;
    uint64_t memory = atomic_load_explicit(&memory_ns, memory_order_relaxed),
             end = atomic_load_explicit(&end_ns, memory_order_relaxed);
    if (now > end + CWU_YIELD_FORGET_NS)
        memory = CWU_YIELD_LEAST_MEMORY_NS;
    else if (now > end)
        memory = 2 * memory < CWU_YIELD_MOST_MEMORY_NS ? 2 * memory : CWU_YIELD_MOST_MEMORY_NS;
    atomic_store_explicit(&memory_ns, memory, memory_order_relaxed);
    atomic_store_explicit(&end_ns, now + memory, memory_order_relaxed);
    atomic_store_explicit(&cwu_yield_dear_until_ns, now + memory, memory_order_relaxed);
}

uint64_t cwu_yield(void)
{
    uint64_t start = cwu_now_ns();
    sched_yield();
    uint64_t now = cwu_now_ns();
    if (CW_UNLIKELY(now - start > CWU_YIELD_DEAR_NS))
        remember_dear(now);
    return now - start;
}

bool cwu_yield_is_still_dear(void)
{
    uint64_t until = atomic_load_explicit(&cwu_yield_dear_until_ns, memory_order_relaxed);
    if (cwu_now_ns() < until)
        return true;
    // unless another thread has just found one dear
    atomic_compare_exchange_strong_explicit(&cwu_yield_dear_until_ns, &until, 0,
                                            memory_order_relaxed, memory_order_relaxed);
    return false;
}
