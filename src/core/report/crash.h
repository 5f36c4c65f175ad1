// SPDX-License-Identifier: BSD-3-Clause
//
// A crash is explained (CAUSEWAY_BACKTRACE): the routine, what address it came upon, and the stack.
// Then the process dies of the signal as it would have without.
//
// A handler of SIGSEGV, SIGBUS and SIGABRT, for programs that have none: another handler stays, and
// one that the program installs later replaces it. Threads: those that join and leave.
#ifndef CW_CORE_CRASH_H
#define CW_CORE_CRASH_H

/** Prints a line of cwu_symbol_stack. */
void cw_crash_put_frame(int depth, const char *where);
/** Leaves a signal alone from now on, whether it is handled already or not. */
void cw_crash_leave(int signal_number);
/** When this PE has its memory. */
void cw_crash_open(void);
/** Before it goes. */
void cw_crash_close(void);

/** Where the code was that a signal has interrupted; the context of its handler. */
const void *cw_crash_pc(const void *context);

#endif
