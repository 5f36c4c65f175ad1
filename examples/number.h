// SPDX-License-Identifier: BSD-3-Clause
//
// Numbers of the command line, for all examples: "1e6" and "12x" are none.
#ifndef EXAMPLES_NUMBER_H
#define EXAMPLES_NUMBER_H

#include <errno.h>
#include <stdlib.h>

// The number that the whole word is, from least to most; least - 1 if it is none of these.
static inline long whole_number(const char *word, long least, long most)
{
    char *end;
    errno = 0;
    const long value = strtol(word, &end, 10);
    return errno || end == word || *end || value < least || value > most ? least - 1 : value;
}

#endif
