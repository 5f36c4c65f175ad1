// SPDX-License-Identifier: BSD-3-Clause
//
// Texts of several PEs that differ in numbers alone (alike.c). Places in the program, "main+0x1c
// (ring.c:14)", are no numbers: they must be equal. No state.
#ifndef OSHRUN_ALIKE_H
#define OSHRUN_ALIKE_H

#include <stddef.h>

enum {
    ALIKE_NOT = -1,
    ALIKE_EQUAL = 0,
    ALIKE_BUT_ADDRESSES = 1,  // or the bits of both
    ALIKE_BUT_NUMBERS = 2
};

int alike(const char *a, const char *b);
/** One text for all, which are alike: a number that differs as "16..1024", an address as the first
 *  has it. The caller frees it; NULL: no memory. */
char *alike_merged(const char *const *texts, size_t count);

#endif
