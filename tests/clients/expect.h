// SPDX-License-Identifier: BSD-3-Clause
//
// What is not as expected is printed and counted.
#ifndef CLIENTS_EXPECT_H
#define CLIENTS_EXPECT_H

#include <stdio.h>

static int wrong;

#define EXPECT(condition)                                            \
    do {                                                             \
        if (!(condition)) {                                          \
            printf("FAIL line %d: %s\n", __LINE__, #condition);      \
            wrong++;                                                 \
        }                                                            \
    } while (0)

#endif
