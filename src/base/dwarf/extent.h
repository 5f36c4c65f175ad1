// SPDX-License-Identifier: BSD-3-Clause
//
// The static variables of the program, by the symbol table of its file: where each begins and ends.
// Variables that overlap (aliases, parts) count as one. A stripped program has none. Threads: any;
// the first question reads the file. Never fails.
#ifndef CW_BASE_DWARF_EXTENT_H
#define CW_BASE_DWARF_EXTENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct cwu_extent {
    uintptr_t start;
    size_t nbytes;
    const char *name;
} cwu_extent_t;

/** The variable that the address is in; false: none, and *extent_p is the gap around the address,
 *  without a name. */
bool cwu_extent_find(uintptr_t address, cwu_extent_t *extent_p);

#endif
