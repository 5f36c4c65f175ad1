// SPDX-License-Identifier: BSD-3-Clause
//
// Preloaded: the wall clock is a day behind, as if it had been set back while the kernel counted a
// time-out. A wait that reckons with it ends at once.
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

__attribute__((visibility("default"))) int clock_gettime(clockid_t clock, struct timespec *time)
{
    long rc = syscall(SYS_clock_gettime, clock, time);
    if (rc == 0 && clock == CLOCK_REALTIME)
        time->tv_sec -= 24 * 3600;
    return (int)rc;
}
