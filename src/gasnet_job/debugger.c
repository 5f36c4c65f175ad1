// SPDX-License-Identifier: BSD-3-Clause
//
// Waits for a debugger, and descriptions of the stack, as GASNet's settings ask for them.
#include <ctype.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/symbol.h"
#include "base/wait.h"
#include "core/report/crash.h"
#include "gasnet_job/gas.h"

// Beside what libgasnet_tools has under that name, for programs linked with both archives.
GAS_API volatile int gasnet_frozen CW_WEAK;

static void thaw(int signo)
{
    (void)signo;
    gasnet_frozen = 0;
}

/** May run in a signal's handler. */
static void freeze(void)
{
    char line[300], host[128] = "?";
    struct sigaction thawing = {.sa_handler = thaw}, before;
    sigset_t set;
    gasnet_frozen = 1;
    sigaction(SIGCONT, &thawing, &before);
    sigemptyset(&set);
    sigaddset(&set, SIGCONT);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
    gethostname(host, sizeof host - 1);
    int n = snprintf(line, sizeof line,
                     "causeway: process %u is frozen: attach a debugger to pid %d on %s and set "
                     "gasnet_frozen to 0, or send SIGCONT\n",
                     gas.me, (int)getpid(), host);
    cwu_write(line, (size_t)n);
    while (gasnet_frozen)
        cwu_sleep_ns(CWU_WAIT_NS(SAFEGUARD));
    sigaction(SIGCONT, &before, NULL);
}

// ---------------------------------------------------------------- errors
static bool shows_stack;

/** Is the number in a list such as "0,2-4"? */
static bool is_listed(const char *list, unsigned long number)
{
    if (!list || strcmp(list, "*") == 0)
        return true;
    for (const char *p = list; *p;) {
        char *end;
        unsigned long first = strtoul(p, &end, 10), last = first;
        if (end != p && *end == '-')
            last = strtoul(end + 1, &end, 10);
        if (end != p && number >= first && number <= last)
            return true;
        p = end + strcspn(end, ",");
        p += *p != '\0';
    }
    return false;
}

/** Is it one, or "*"? */
static bool is_list(const char *list)
{
    const char *p = list;
    while (isdigit((unsigned char)*p)) {
        char *end;
        unsigned long first = strtoul(p, &end, 10), last = first;
        if (*end == '-' && isdigit((unsigned char)end[1]))
            last = strtoul(end + 1, &end, 10);
        if (*end == '\0' || *end != ',' || last < first)
            return *end == '\0' && last >= first;
        p = end + 1 + strspn(end + 1, " ");
    }
    return strcmp(list, "*") == 0;
}

static void at_error(bool has_stack)
{
    if (shows_stack && !has_stack)
        cwu_symbol_stack(NULL, cw_crash_put_frame);
    if (cwu_env.freeze_on_error) {
        alarm(0);  // a crash allows itself some seconds only
        freeze();
    }
}

static void on_deadly(int signo)
{
    signal(signo, SIG_DFL);
    cwu_error("SIG%s", sigabbrev_np(signo));
    at_error(false);
    raise(signo);
}

static void handle(int signo)
{
    struct sigaction now, deadly = {.sa_handler = on_deadly};
    if (gas_catches(signo) && sigaction(signo, NULL, &now) == 0 && now.sa_handler == SIG_DFL)
        sigaction(signo, &deadly, NULL);
}

// ---------------------------------------------------------------- by signals
static void on_backtrace(int signo)
{
    int error = errno;
    (void)signo;
    cwu_symbol_stack(NULL, cw_crash_put_frame);
    errno = error;
}

static void on_freeze(int signo)
{
    int error = errno;
    (void)signo;
    freeze();
    errno = error;
}

static void wait_for(const char *variable, const char *name, void (*handler)(int))
{
    if (!name || !*name)
        return;
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};
    int signo = gas_signal_of(name, strlen(name));
    if ((signo == 0 || sigaction(signo, &action, NULL) != 0) && gas.me == 0)
        cwu_warn("%s=\"%s\": no signal that a process can handle", variable, name);
}

void gas_debugger_open(void)
{
    wait_for(CWU_ENV_NAME(backtrace_signal), cwu_env.backtrace_signal, on_backtrace);
    wait_for(CWU_ENV_NAME(freeze_signal), cwu_env.freeze_signal, on_freeze);
    if (cwu_env.backtrace_nodes && !is_list(cwu_env.backtrace_nodes) && gas.me == 0)
        cwu_warn("%s=\"%s\": give numbers and ranges with commas between, such as 0,2-4, or *",
                 CWU_ENV_NAME(backtrace_nodes), cwu_env.backtrace_nodes);
    shows_stack = cwu_env.gasnet_backtrace && is_listed(cwu_env.backtrace_nodes, gas.me);
    if (shows_stack || cwu_env.freeze_on_error) {
        cwu_error_last_hook(at_error);
        cw_crash_leave(SIGABRT);
        handle(SIGABRT);
        handle(SIGFPE);
        handle(SIGILL);
    }
    if (cwu_env.freeze)
        freeze();
}
