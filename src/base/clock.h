// SPDX-License-Identifier: BSD-3-Clause
//
// Monotonic time in nanoseconds, sleeps, and the CPU's hint for spinning loops.
#ifndef CW_BASE_CLOCK_H
#define CW_BASE_CLOCK_H

#include <stddef.h>
#include <stdint.h>
#include <time.h>

#define CWU_MS UINT64_C(1000000)  // nanoseconds

static inline uint64_t cwu_now_ns(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

/** Sleeps so long, or until a signal comes. */
static inline void cwu_sleep_ns(uint64_t ns)
{
    nanosleep(&(struct timespec){(time_t)(ns / 1000000000u), (long)(ns % 1000000000u)}, NULL);
}

static inline void cwu_cpu_pause(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("isb" ::: "memory");
#else
    __asm__ volatile("" ::: "memory");
#endif
}

#endif
