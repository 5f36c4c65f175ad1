// SPDX-License-Identifier: BSD-3-Clause
//
// Memory of the calling process, for tests that it does not grow.
#ifndef TESTS_ARMCI_RESIDENT_H
#define TESTS_ARMCI_RESIDENT_H

#include <stdio.h>
#include <unistd.h>

#include "frame/check.h"

/** Bytes that this process has in memory, of the node's shared memory too. */
static size_t resident(void)
{
    unsigned long all = 0, here = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    REQUIRE(file && fscanf(file, "%lu %lu", &all, &here) == 2);
    fclose(file);
    return here * (size_t)sysconf(_SC_PAGESIZE);
}

#endif
