// SPDX-License-Identifier: BSD-3-Clause
//
// Messages and the end of the job. A message is formatted into one buffer on the stack and leaves
// in one write(2), so that lines of many PEs never mix; no lock, no stdio, safe from any thread and
// after a failed malloc.
#include "base/error.h"

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/compiler.h"
#include "base/env.h"
#include "base/output.h"
#include "base/wait.h"

enum { MESSAGE_MAX = 2048, HOST_MAX = 128, READ_MS = 200 };

// Written once at start by the thread that initialises; relaxed loads suffice: a message that
// carries the pid only is as good as one printed a moment earlier.
static atomic_int self_pe = -1;
static const char *_Atomic self_word;
static atomic_int world_npes = 0;
static void (*_Atomic abort_hook)(int);

const char *cwu_error_name(int code)
{
    switch (code) {
    case CW_OK:
        return "CW_OK";
    case CW_EINVAL:
        return "CW_EINVAL";
    case CW_ENOMEM:
        return "CW_ENOMEM";
    case CW_ESYS:
        return "CW_ESYS";
    case CW_ENOENT:
        return "CW_ENOENT";
    case CW_EAGAIN:
        return "CW_EAGAIN";
    case CW_ETIMEOUT:
        return "CW_ETIMEOUT";
    case CW_ENOTSUP:
        return "CW_ENOTSUP";
    case CW_EREFUSED:
        return "CW_EREFUSED";
    case CW_ELOST:
        return "CW_ELOST";
    case CW_EPROTO:
        return "CW_EPROTO";
    case CW_EFILES:
        return "CW_EFILES";
    case CW_EMISMATCH:
        return "CW_EMISMATCH";
    case CW_ECOUNT:
        return "CW_ECOUNT";
    default:
        return "CW_E?";
    }
}

void cwu_error_identity(int pe, int npes)
{
    atomic_store_explicit(&world_npes, npes, memory_order_relaxed);
    // pairs with the acquire in put_prefix
    atomic_store_explicit(&self_pe, pe, memory_order_release);
}

void cwu_error_word(const char *word)
{
    atomic_store_explicit(&self_word, word, memory_order_relaxed);
}

void cwu_error_abort_hook(void (*abort_job)(int status))
{
    // pairs with the acquire in cwu_abort
    atomic_store_explicit(&abort_hook, abort_job, memory_order_release);
}

static void (*_Atomic last_hook)(bool);

void cwu_error_last_hook(void (*last)(bool has_stack))
{
    // pairs with the acquire in cwu_error_last
    atomic_store_explicit(&last_hook, last, memory_order_release);
}

void cwu_error_last(bool has_stack)
{
    void (*last)(bool) = atomic_load_explicit(&last_hook, memory_order_acquire);
    if (last)
        last(has_stack);
}

static size_t put_prefix(char *line, const char *level)
{
    char host[HOST_MAX] = "?";
    gethostname(host, sizeof(host) - 1);
    host[sizeof(host) - 1] = '\0';
    int pe = atomic_load_explicit(&self_pe, memory_order_acquire);
    int npes = atomic_load_explicit(&world_npes, memory_order_relaxed);
    const char *word = atomic_load_explicit(&self_word, memory_order_relaxed);
    int n;
    if (pe >= 0)
        n = snprintf(line, MESSAGE_MAX, "causeway: %s: %s %d of %d (pid %d, host %s): ", level,
                     word ? word : "PE", word ? pe + 1 : pe, npes, (int)getpid(), host);
    else
        n = snprintf(line, MESSAGE_MAX, "causeway: %s: pid %d, host %s: ", level, (int)getpid(),
                     host);
    return (size_t)n;
}

/** stderr takes nothing now, if it is not to block (another process may have set that): waits until
 *  it does; false: not for ever. */
static bool await_room(uint64_t limit_ns)
{
    struct pollfd fd = {.fd = STDERR_FILENO, .events = POLLOUT};
    uint64_t now = cwu_now_ns();
    if (now < limit_ns)
        poll(&fd, 1, (int)((limit_ns - now) / CWU_MS) + 1);
    return now < limit_ns;
}

void cwu_write(const char *line, size_t nbytes)
{
    const uint64_t limit_ns = cwu_now_ns() + CWU_WAIT_NS(SECOND);
    while (nbytes > 0) {
        ssize_t n = write(STDERR_FILENO, line, nbytes);
        // a handler of the program's may have come in between
        if (n < 0 && (errno == EINTR || (errno == EAGAIN && await_room(limit_ns))))
            continue;
        if (n <= 0)
            return;  // stderr is closed: the message is lost
        line += n;
        nbytes -= (size_t)n;
    }
}

static _Atomic int hushed;

void cwu_error_hush(void)
{
    atomic_store_explicit(&hushed, 1, memory_order_relaxed);
}

static _Thread_local bool hushes_others;

void cwu_error_hush_others(void)
{
    hushes_others = true;
    cwu_error_hush();
}

static CW_PRINTF(2, 0) void say_anyway(const char *level, const char *fmt, va_list args)
{
    char line[MESSAGE_MAX];
    CWU_DECIMAL_POINT();
    size_t used = put_prefix(line, level);
    int n = vsnprintf(line + used, sizeof(line) - used, fmt, args);
    if (n > 0)
        used += (size_t)n;
    if (used > sizeof(line) - 1) {  // cut short: mark it, keep it one line
        used = sizeof(line) - 1;
        memcpy(line + used - 3, "...", 3);
    }
    line[used] = '\n';
    cwu_write(line, used + 1);
}

static CW_PRINTF(2, 0) void say(const char *level, const char *fmt, va_list args)
{
    if (!atomic_load_explicit(&hushed, memory_order_relaxed) || hushes_others)
        say_anyway(level, fmt, args);
}

static _Atomic bool error_said;  // by any thread
static _Thread_local bool unprinted;

void cwu_error_print(bool on)
{
    unprinted = !on;
}

void cwu_error(const char *fmt, ...)
{
    va_list args;
    if (unprinted)
        return;
    va_start(args, fmt);
    say("error", fmt, args);
    va_end(args);
    atomic_store_explicit(&error_said, true, memory_order_relaxed);
}

void cwu_warn(const char *fmt, ...)
{
    if (cwu_env.quiet)
        return;
    va_list args;
    va_start(args, fmt);
    say("warning", fmt, args);
    va_end(args);
}

void cwu_warn_of_end(const char *fmt, ...)
{
    if (cwu_env.quiet)
        return;
    va_list args;
    va_start(args, fmt);
    say_anyway("warning", fmt, args);
    va_end(args);
}

void cwu_debug(const char *fmt, ...)
{
    if (!cwu_env.debug)
        return;
    va_list args;
    va_start(args, fmt);
    say("debug", fmt, args);
    va_end(args);
}

/** At an abort launchers may drop what they have not read yet (Hydra does): gives the reader of a
 *  pipe a moment. */
static void let_read(int fd)
{
    struct stat is;
    int left = 0;
    if (fstat(fd, &is) != 0 || !S_ISFIFO(is.st_mode))
        return;
    for (int i = 0; i < READ_MS && ioctl(fd, FIONREAD, &left) == 0 && left > 0; i++)
        cwu_sleep_ns(1000000);
}

static noreturn void end(void)
{
    cwu_error_last(false);
    let_read(STDERR_FILENO);
    cwu_abort(1);
}

void cwu_fatal_reported(const char *what, int code)
{
    if (!atomic_load_explicit(&error_said, memory_order_relaxed))
        cwu_error("%s failed (%s)", what, cwu_error_name(code));
    end();
}

void cwu_fatal(const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    say("error", fmt, args);
    va_end(args);
    end();
}

void cwu_abort(int status)
{
    static atomic_flag aborting = ATOMIC_FLAG_INIT;
    static _Thread_local int here;
    if (here++)  // the hook itself failed: do not recurse
        _exit(status);
    if (atomic_flag_test_and_set(&aborting)) {
        // Another thread is ending the job. Wait for it, but not for a hook that hangs.
        cwu_sleep_ns(CWU_WAIT_NS(GIVE_UP));
        _exit(status);
    }
    void (*hook)(int) = atomic_load_explicit(&abort_hook, memory_order_acquire);
    if (hook)
        hook(status);
    _exit(status);
}
