// SPDX-License-Identifier: BSD-3-Clause
//
// Does a loop give the processor away? Counted in calls of sched_yield, which the program that
// includes this defines in the C library's place, and in sleeps of this thread. Beside load a loop
// polls for a while between two sleeps: the bound is processor time, not a number of tests. Define
// _GNU_SOURCE before.
#ifndef TESTS_FRAME_YIELDS_H
#define TESTS_FRAME_YIELDS_H

#include <sched.h>
#include <stdbool.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static int yields;
static unsigned yield_takes_us;  // as beside other load, if it is set

int sched_yield(void)
{
    __atomic_add_fetch(&yields, 1, __ATOMIC_RELAXED);
    return yield_takes_us ? usleep(yield_takes_us) : (int)syscall(SYS_sched_yield);
}

static long sleeps(void)
{
    struct rusage usage;
    getrusage(RUSAGE_THREAD, &usage);
    return usage.ru_nvcsw;
}

static double used_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

enum { GIVEN_AWAY = 10, TESTS_AT_ONCE = 2000, MOST_MS = 50 };

/** Runs the test until the processor was given away ten times. False: not within 50 ms of it. */
static bool gives_way(void (*test)(void *), void *with)
{
    const double start = used_ms();
    const long slept = sleeps();
    yields = 0;
    do {
        for (int i = 0; i < TESTS_AT_ONCE; i++)
            test(with);
        if (yields + sleeps() - slept > GIVEN_AWAY)
            return true;
    } while (used_ms() - start < MOST_MS);
    return false;
}

#endif
