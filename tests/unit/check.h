// SPDX-License-Identifier: BSD-3-Clause
//
// Checks for unit tests: CHECK(condition) counts and reports, test_end() gives the exit status.
#ifndef CW_TESTS_CHECK_H
#define CW_TESTS_CHECK_H

#include <stdio.h>
#include <string.h>

static _Atomic int checks_done, checks_failed;  // tests with threads check in all of them

#define CHECK(condition)                                                         \
    do {                                                                         \
        checks_done++;                                                           \
        if (!(condition)) {                                                      \
            checks_failed++;                                                     \
            fprintf(stderr, "FAIL %s:%d: %s\n", __FILE__, __LINE__, #condition); \
        }                                                                        \
    } while (0)

#define CHECK_STR(actual, expected)                                                               \
    do {                                                                                          \
        const char *a_ = (actual), *e_ = (expected);                                              \
        checks_done++;                                                                            \
        if (strcmp(a_, e_) != 0) {                                                                \
            checks_failed++;                                                                      \
            fprintf(stderr, "FAIL %s:%d: \"%s\", expected \"%s\"\n", __FILE__, __LINE__, a_, e_); \
        }                                                                                         \
    } while (0)

/** Prints the count; 0 when all passed, 1 when one failed or none was done. */
static inline int test_end(void)
{
    printf("%d checks, %d failed\n", checks_done, checks_failed);
    return checks_failed > 0 || checks_done == 0;
}

#endif
