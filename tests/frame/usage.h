// SPDX-License-Identifier: BSD-3-Clause
//
// What this process has used: time, processor, memory, descriptors.
#ifndef TESTS_FRAME_USAGE_H
#define TESTS_FRAME_USAGE_H

#include <dirent.h>
#include <stdio.h>
#include <sys/resource.h>
#include <time.h>

#include "frame/check.h"

// AddressSanitizer keeps what is freed, so its memory grows.
#ifdef __SANITIZE_ADDRESS__
enum { KEEPS_FREED = 1 };
#else
enum { KEEPS_FREED = 0 };
#endif

static inline double now_s(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (double)ts.tv_sec + 1e-9 * (double)ts.tv_nsec;
}

/** Processor time of all threads. */
static inline double cpu_s(void)
{
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    return (double)u.ru_utime.tv_sec + (double)u.ru_stime.tv_sec +
           1e-6 * (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
}

/** Resident memory, shared pages divided among those that share them; -1 if /proc does not say. */
static inline long resident_kib(void)
{
    char line[256];
    long kib = -1;
    FILE *f = fopen("/proc/self/smaps_rollup", "r");
    while (f && fgets(line, sizeof line, f))
        if (sscanf(line, "Pss: %ld", &kib) == 1)
            break;
    if (f)
        fclose(f);
    return kib;
}

/** What must not grow in a long run. */
typedef struct resources {
    long descriptors, kib;  // private memory
} resources_t;

static inline resources_t resources(void)
{
    resources_t r = {.descriptors = -3};  // ".", ".." and the folder's own
    char line[128];
    DIR *d = opendir("/proc/self/fd");
    while (d && readdir(d))
        r.descriptors++;
    if (d)
        closedir(d);
    FILE *f = fopen("/proc/self/status", "r");
    while (f && fgets(line, sizeof line, f))
        if (sscanf(line, "RssAnon: %ld", &r.kib) == 1)
            break;
    if (f)
        fclose(f);
    return r;
}

static inline void check_flat(const resources_t *settled, const resources_t *now, int rounds)
{
    CHECK(now->descriptors <= settled->descriptors + 2,
          "descriptors grew from %ld to %ld in %d rounds", settled->descriptors, now->descriptors,
          rounds);
    CHECK(KEEPS_FREED || now->kib <= settled->kib + settled->kib / 4 + 4096,
          "memory grew from %ld to %ld KiB in %d rounds", settled->kib, now->kib, rounds);
}

#endif
