// SPDX-License-Identifier: BSD-3-Clause
//
// What the library shares with its program when it reads and writes text: the locale, whose numbers
// may have a decimal comma, the descriptors of the standard streams, which may be closed, and the
// streams, which are still full when the job ends by a call.
// Files, messages and settings have decimal points: everything in src that prints or parses a
// fraction does so below CWU_DECIMAL_POINT(), or by cwu_error() and its like, which use it
// (maint/include_law.py).
#ifndef CW_BASE_OUTPUT_H
#define CW_BASE_OUTPUT_H

#include <locale.h>
#include <stdbool.h>

#include "base/compiler.h"

static inline void cwu_decimal_end(const locale_t *programs)
{
    uselocale(*programs);
}

/** A statement (it declares a variable): until its block is left, numbers of this thread are those
 *  of the "C" locale, which the C library has always and never frees. */
#define CWU_DECIMAL_POINT()                                              \
    const locale_t cwu_programs_ CW_CLEANUP(cwu_decimal_end) CW_UNUSED = \
        uselocale(newlocale(LC_ALL_MASK, "C", (locale_t)0))

/** Opens /dev/null at those of the descriptors 0 to 2 that are closed. Else the library's next
 *  file has the number, a connection perhaps, and what the program prints goes there. */
void cwu_open_standard_files(void);

/** Flushes all streams, and, by more, what else the program writes by, if that is not NULL, in
 *  another thread: a second is waited for that, no longer, since a thread of the program may hold
 *  the lock of a stream in a read that never ends, or the caller may be a signal handler that
 *  interrupted anything, or called within a statement that has such a lock. False: it is not done.
 */
bool cwu_flush_output(void (*more)(void));

/** Waits, a second at most, until who reads this process's output has taken it, where that is a
 *  pipe: before a call that makes a launcher drop what it has not read. Also from handlers of
 *  signals. */
void cwu_await_output_read(void);

#endif
