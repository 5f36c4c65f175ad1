// SPDX-License-Identifier: BSD-3-Clause
//
// Clocks: ticks, wall-clock time, sleeping.
#include <errno.h>
#include <time.h>

#include "tools.h"

static uint64_t now_ns(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

gasnett_tick_t gasnett_ticks_now(void)
{
    return now_ns(CLOCK_MONOTONIC);
}

uint64_t gasnett_gettimeofday_us(void)
{
    return now_ns(CLOCK_REALTIME) / 1000;
}

// The smallest step and the cheapest of some batches: what the clock can do, undisturbed.
enum { BATCHES = 20, READINGS = 500 };

static pthread_once_t measured = PTHREAD_ONCE_INIT;
static double granularity_us, overhead_us;

static void measure(void)
{
    uint64_t step = UINT64_MAX, cheapest = UINT64_MAX;
    for (int batch = 0; batch < BATCHES; batch++) {
        uint64_t start = now_ns(CLOCK_MONOTONIC), before = start;
        for (int i = 0; i < READINGS; i++) {
            uint64_t after = now_ns(CLOCK_MONOTONIC);
            if (after > before && after - before < step)
                step = after - before;
            before = after;
        }
        if (before - start < cheapest)
            cheapest = before - start;
    }
    granularity_us = (double)(step == UINT64_MAX ? 1 : step) / 1000;
    overhead_us = (double)cheapest / READINGS / 1000;
}

double gasnett_tick_granularityus(void)
{
    pthread_once(&measured, measure);
    return granularity_us;
}

double gasnett_tick_overheadus(void)
{
    pthread_once(&measured, measure);
    return overhead_us;
}

int gasnett_nsleep(uint64_t ns_delay)
{
    struct timespec left = {.tv_sec = (time_t)(ns_delay / 1000000000),
                            .tv_nsec = (long)(ns_delay % 1000000000)};
    int error;
    do
        error = clock_nanosleep(CLOCK_MONOTONIC, 0, &left, &left);
    while (error == EINTR);
    return error;
}
