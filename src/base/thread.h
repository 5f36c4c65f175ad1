// SPDX-License-Identifier: BSD-3-Clause
//
// Threads of the library beside those of the program; and how any thread yields its core.
#ifndef CW_BASE_THREAD_H
#define CW_BASE_THREAD_H

#include "base/compiler.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/** Starts a thread with all signals blocked, since they are the program's business, and a stack of
 *  512 KiB, or more where the program's thread-local variables need it. name: at most 15
 *  characters. 0, or an errno value. */
int cwu_thread_start(pthread_t *thread_p, void *(*run)(void *), void *arg, const char *name);

// ---------------------------------------------------------------- yields
//
// A yield returns at once to an empty run queue, and after some microseconds when the others wait
// as well. Beside a thread that computes, of this job or of another, it gives a time slice away,
// while a thread that sleeps is woken into the middle of one. So yields are measured, and for a
// while after a dear one waits poll a little, where each PE has a core, and sleep. One memory for
// all threads of the process. Threads: any. A yield costs two readings of the clock more than
// sched_yield.

// Shorter ones are seen on a quiet machine, too: another process's start, or the turn of a PE.
#define CWU_YIELD_DEAR_NS 1500000u
// How long waits do not yield then: a moment, as PEs of this job that compute will come to wait as
// well; doubled when one is dear again soon after it. One trial costs a slice.
#define CWU_YIELD_LEAST_MEMORY_NS 5000000u
#define CWU_YIELD_MOST_MEMORY_NS 50000000u
#define CWU_YIELD_FORGET_NS 200000000u  // without a dear yield: the load has ended
// Polls in place of yields: about what a sleep and a wake-up cost beside load, so that a wait which
// sleeps all the same costs twice that at most.
#define CWU_DEAR_POLLS_NS 50000u

extern _Atomic uint64_t cwu_yield_dear_until_ns CW_HIDDEN;  // 0: yields are not dear

/** Yields; returns how long that took. */
uint64_t cwu_yield(void);
bool cwu_yield_is_still_dear(void);

/** Has a yield of this process been dear lately? */
static inline bool cwu_yield_is_dear(void)
{
    return CW_UNLIKELY(atomic_load_explicit(&cwu_yield_dear_until_ns, memory_order_relaxed)) &&
           cwu_yield_is_still_dear();
}

/** Shall a wait that polls since *since_ns_p poll on? 0: it begins now. */
bool cwu_polls_on(uint64_t *since_ns_p);

#endif
