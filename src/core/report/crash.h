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

/** SA_ONSTACK for handlers of this library, but 0 if the caller's alternate stack is a small one of
 *  the program (Rust gives each thread 8 KiB): they would write past its end. */
int cw_crash_stack_flag(void);

/** Where the code was that a signal has interrupted; the context of its handler. */
const void *cw_crash_pc(const void *context);

#endif
