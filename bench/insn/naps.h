// SPDX-License-Identifier: BSD-3-Clause
/*
 * For programs that count one call: while it is counted, which takes long, the naps of the
 * library's threads do not end. One would send what lies for so long. Included once in a program,
 * since it stands in for the C library's nanosleep.
 */
#ifndef BENCH_NAPS_H
#define BENCH_NAPS_H

#include <stdatomic.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static atomic_bool is_counting;

int nanosleep(const struct timespec *time, struct timespec *left)
{
    long rc;
    do
        rc = syscall(SYS_nanosleep, time, left);
    while (rc == 0 && atomic_load(&is_counting));
    return (int)rc;
}

#endif
