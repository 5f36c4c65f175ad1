// SPDX-License-Identifier: BSD-3-Clause
//
// The line of a source file that an address of code belongs to, from the table of lines that a
// compiler writes with -g (DWARF, versions 2 to 5). For messages: reads the whole table, up to
// MOST_BYTES of it. Takes no memory and no lock, so it may run in a signal's handler. Nothing is
// found in tables that are compressed or in a file of their own.
#ifndef CW_BASE_DWARF_LINES_H
#define CW_BASE_DWARF_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** image: a whole ELF file in memory; address: one of that file. "ring.c:14"; false: not known. */
bool cwu_lines_find(const char *image, size_t nbytes, uint64_t address, char *text,
                    size_t text_nbytes);

#endif
