// SPDX-License-Identifier: BSD-3-Clause
//
// How often this thread has given the processor away: calls of sched_yield, which the program that
// includes this defines in the C library's place, and sleeps. Define _GNU_SOURCE before.
#ifndef TESTS_FRAME_YIELDS_H
#define TESTS_FRAME_YIELDS_H

#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

static int yields;

int sched_yield(void)
{
    __atomic_add_fetch(&yields, 1, __ATOMIC_RELAXED);
    return (int)syscall(SYS_sched_yield);
}

static long sleeps(void)
{
    struct rusage usage;
    getrusage(RUSAGE_THREAD, &usage);
    return usage.ru_nvcsw;
}

#endif
