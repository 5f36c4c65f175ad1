// SPDX-License-Identifier: BSD-3-Clause
//
// How often each kind of put and get is called: a different number of times, so that a kind that
// takes another path changes the counts of the provider's calls.
#ifndef TESTS_WATCH_SAME_PATH_H
#define TESTS_WATCH_SAME_PATH_H

enum { FIRST = 60, STEP = 32, BIG = 4096 };

static int number = FIRST;

#define TIMES(what)                        \
    do {                                   \
        for (int i = 0; i < number; i++) { \
            what;                          \
        }                                  \
        number += STEP;                    \
    } while (0)

#endif
