// SPDX-License-Identifier: BSD-3-Clause
//
// Futexes on memory shared between processes (never FUTEX_PRIVATE).
#ifndef CW_BASE_FUTEX_H
#define CW_BASE_FUTEX_H

#include <limits.h>
#include <linux/futex.h>
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

#endif
