// SPDX-License-Identifier: BSD-3-Clause
//
// causeway-info --explain: the row of the table of messages that a printed line belongs to. The
// table is made at build time from tools/messages and the calls that print
// (maint/gen_messages.py), so it has the texts of this version.
#ifndef TOOLS_INFO_EXPLAIN_H
#define TOOLS_INFO_EXPLAIN_H

/** Words of the command line that make a text together: a printed line or a part of it, the name
 *  of a row, or "-" for lines of the standard input. None: lists all rows. The exit status: 1 when
 *  no message is like it. */
int info_explain(char *const *words);
/** A paragraph in lines of the terminal's width, with an indent of 6. */
void info_wrapped(const char *text);

#endif
