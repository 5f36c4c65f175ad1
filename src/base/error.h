// SPDX-License-Identifier: BSD-3-Clause
//
// Error codes and one-line messages.
//
// Internals return 0 or a negative CW_E… code. The layer that first sees an error reports it
// (cwu_error or cwu_fatal); callers only pass the code on. A message is one line: what happened,
// where (PE, pid, host are added here), and what to do about it.
// Threads: every function may be called from any thread. None of them takes a lock.
#ifndef CW_BASE_ERROR_H
#define CW_BASE_ERROR_H

#include "base/compiler.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdnoreturn.h>

enum {
    CW_OK = 0,
    CW_EINVAL = -1,      // an argument or a setting is wrong
    CW_ENOMEM = -2,      // memory, a heap or a table is exhausted
    CW_ESYS = -3,        // a system call failed
    CW_ENOENT = -4,      // a key, file or library is not there
    CW_EAGAIN = -5,      // try again after progress
    CW_ETIMEOUT = -6,    // a peer did not reply within CAUSEWAY_TIMEOUT
    CW_ENOTSUP = -7,     // the provider, transport or launcher cannot do this
    CW_EREFUSED = -8,    // the peer refused the connection (wrong secret, no listener)
    CW_ELOST = -9,       // the connection or the peer is gone
    CW_EPROTO = -10,     // bytes that do not follow the protocol
    CW_EMISMATCH = -11,  // PEs disagree (heap size, binary, version)
    CW_EFILES = -12,     // no file descriptor is left
    CW_ECOUNT = -13,     // more bytes than any memory has; the caller reports it
};

/** Name of a CW_E… code ("CW_ENOMEM"); "CW_E?" for anything else. */
const char *cwu_error_name(int code);

/** Sets the PE that messages carry. Until then they carry only pid and host. */
void cwu_error_identity(int pe, int npes);
/** What the program calls itself in them, counted from 1: "image"; NULL: a PE, from 0. Lives for
 *  ever. */
void cwu_error_word(const char *word);

/** What cwu_fatal does last: ends the whole job with `status`. Default: _exit(status). */
void cwu_error_abort_hook(void (*abort_job)(int status));

/** What happens behind a fatal message, before the job ends: for debuggers. May wait. */
void cwu_error_last_hook(void (*last)(bool has_stack));
/** Calls that; has_stack: the message described the stack. */
void cwu_error_last(bool has_stack);

/** Prints "causeway: error: PE 3 of 8 (pid 123, host h): <text>" to stderr in one write. */
void cwu_error(const char *fmt, ...) CW_PRINTF(1, 2) CW_COLD;

/** The same with "warning:"; nothing with CAUSEWAY_QUIET=1. */
void cwu_warn(const char *fmt, ...) CW_PRINTF(1, 2) CW_COLD;

/** Whether errors of the calling thread are printed, which they are at first: where it tries
 *  something whose failure its caller does not want to read of. */
void cwu_error_print(bool on);

/** Silences errors, warnings and debugging messages: the job is ending, and later failures are
 *  consequences of that. */
void cwu_error_hush(void);
/** But for this thread. */
void cwu_error_hush_others(void);

/** cwu_warn, also where that is silenced: what is said of the end itself. */
void cwu_warn_of_end(const char *fmt, ...) CW_PRINTF(1, 2) CW_COLD;

/** The same with "debug:"; only with SHMEM_DEBUG or CAUSEWAY_DEBUG set. */
void cwu_debug(const char *fmt, ...) CW_PRINTF(1, 2) CW_COLD;

/** Text of several lines to stderr, in as few writes as the system takes. */
void cwu_write(const char *text, size_t nbytes);

/** cwu_error, then ends the job with exit status 1. */
noreturn void cwu_fatal(const char *fmt, ...) CW_PRINTF(1, 2) CW_COLD;

/** Ends the job behind an error that has been printed; where none has been, "<what> failed
 *  (<code>)" is. */
noreturn void cwu_fatal_reported(const char *what, int code) CW_COLD;

/** Ends the job with `status` through the hook, without a message. */
noreturn void cwu_abort(int status);

#endif
