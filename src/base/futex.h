// SPDX-License-Identifier: BSD-3-Clause
//
// Futexes on memory shared between processes (never FUTEX_PRIVATE), and doorbells.
//
// A doorbell: a word on which threads sleep until another thread or process rings. A ring costs a
// system call only if a thread may sleep there.
//
//     uint32_t rings = cwu_bell_rings(&bell);      one that rings makes its condition true first
//     if (!condition)
//         cwu_bell_sleep(&bell, rings, timeout_ns);
//
// The mark that a thread sleeps is a bit of the word that counts the rings, so that it is set only
// for the count that the sleeper knows, and cleared only together with a new count: a ring that is
// late to clear a mark of its own would clear that of the next sleep, which no later ring would
// end. Zero is a bell. Threads: any, of several processes.
#ifndef CW_BASE_FUTEX_H
#define CW_BASE_FUTEX_H

#include <limits.h>
#include <linux/futex.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/** Sleeps while *word == expected, at most timeout_ns (0: for ever). Spurious returns are
 *  possible. */
static inline void cwu_futex_wait(const uint32_t *word, uint32_t expected, uint64_t timeout_ns)
{
    struct timespec ts = {(time_t)(timeout_ns / 1000000000u), (long)(timeout_ns % 1000000000u)};
    syscall(SYS_futex, word, FUTEX_WAIT, expected, timeout_ns ? &ts : NULL, NULL, 0);
}

/** Wakes up to n sleepers on word. */
static inline void cwu_futex_wake(uint32_t *word, int n)
{
    syscall(SYS_futex, word, FUTEX_WAKE, n, NULL, NULL, 0);
}

// ---------------------------------------------------------------- doorbells

typedef _Atomic uint32_t cwu_bell_t;

#define CWU_BELL_ASLEEP 1u  // a thread may sleep; the count of rings is above

/** How often the bell has rung, in a unit of its own. Before the test of the condition. */
static inline uint32_t cwu_bell_rings(cwu_bell_t *bell)
{
    return atomic_load_explicit(bell, memory_order_acquire) & ~CWU_BELL_ASLEEP;
}

static inline bool cwu_bell_has_sleeper(cwu_bell_t *bell)
{
    return atomic_load_explicit(bell, memory_order_relaxed) & CWU_BELL_ASLEEP;
}

/** Asleep until the bell rings, at most timeout_ns (0: for ever); not at all if it has rung since
 *  `rings`. Spurious returns are possible. */
static inline void cwu_bell_sleep(cwu_bell_t *bell, uint32_t rings, uint64_t timeout_ns)
{
    uint32_t now = rings;
    if (atomic_compare_exchange_strong(bell, &now, rings | CWU_BELL_ASLEEP) ||
        now == (rings | CWU_BELL_ASLEEP))
        cwu_futex_wait((const uint32_t *)bell, rings | CWU_BELL_ASLEEP, timeout_ns);
}

/** Wakes all that sleep. Sequentially consistent: what the caller loads behind it is not older. */
static inline void cwu_bell_ring(cwu_bell_t *bell)
{
    uint32_t now = atomic_load_explicit(bell, memory_order_relaxed);
    while (!atomic_compare_exchange_weak(bell, &now, (now | CWU_BELL_ASLEEP) + 1))
        ;
    if (now & CWU_BELL_ASLEEP)
        cwu_futex_wake((uint32_t *)bell, INT_MAX);
}

#endif
