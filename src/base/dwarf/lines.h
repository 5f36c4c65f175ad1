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

/** image: a whole ELF file in memory; address: one of that file, in the function that begins at
 *  `function` (address itself where that is not known). "ring.c:14"; false: not known. Code that
 *  was inlined from headers of include/causeway is part of a call: "near ring.c:14" is the last
 *  line before it in that function, as the call's own may have no row. */
bool cwu_lines_find(const char *image, size_t nbytes, uint64_t function, uint64_t address,
                    char *text, size_t text_nbytes);
/** Has the file a table that cwu_lines_find does not read, and addr2line does: compressed, in
 *  another file, too large? */
bool cwu_lines_unread(const char *image, size_t nbytes);

#endif
