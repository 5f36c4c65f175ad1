// SPDX-License-Identifier: BSD-3-Clause
//
// Checks that print the condition. For C and C++.
#ifndef TEST_EXPECT_H
#define TEST_EXPECT_H

#include <gasnet_tools.h>
#include <stdio.h>
#include <string.h>

static int failures, checks;

__attribute__((unused)) static void expect_(int good, const char *text, const char *file, int line)
{
    __atomic_add_fetch(&checks, 1, __ATOMIC_RELAXED); // threads check too
    if (!good) {
        __atomic_add_fetch(&failures, 1, __ATOMIC_RELAXED);
        printf("FAIL %s:%d: %s\n", file, line, text);
    }
}
#define EXPECT(condition) expect_(!!(condition), #condition, __FILE__, __LINE__)

#endif
