// SPDX-License-Identifier: BSD-3-Clause
//
// How threads of the library are started; yields, measured.
#include "base/thread.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>

#include "base/clock.h"

#define STACK_NBYTES (512u << 10)
#define MOST_VAIN 6  // 63 waits between two that poll in vain

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

/** Of this thread's waits while yields are dear. */
static _Thread_local struct {
    uint32_t vain, skips;  // polls in a row that ended in a sleep; waits that sleep at once
    bool polls;            // the last one polls, or ended while it did
} dear CW_INITIAL_EXEC;

/** A wait polls, unless the last ones did so in vain: then each second one, each fourth and so on
 *  tries it. */
static bool begin_polls(void)
{
    if (dear.polls)
        dear.vain = 0;
    dear.polls = dear.skips == 0;
    dear.skips -= !dear.polls;
    return dear.polls;
}

bool cwu_polls_on(uint64_t *since_ns_p)
{
    uint64_t now = cwu_now_ns();
    if (*since_ns_p == 0) {
        *since_ns_p = now;
        return begin_polls();
    }
    if (!dear.polls || now - *since_ns_p < CWU_DEAR_POLLS_NS)
        return dear.polls;
    dear.polls = false;
    dear.skips = (1u << dear.vain) - 1;
    dear.vain += dear.vain < MOST_VAIN;
    return false;
}
