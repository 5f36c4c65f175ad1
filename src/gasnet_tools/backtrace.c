// SPDX-License-Identifier: BSD-3-Clause
//
// Backtraces: by the C library (EXECINFO) or by the client (gasnett_backtrace_user).
// GASNET_BACKTRACE_TYPE lists the mechanisms to try, in order; GASNET_BACKTRACE=1 prints one at
// fatal errors and crashes, GASNET_BACKTRACE_SIGNAL on demand.
#include <errno.h>
#include <execinfo.h>
#include <stdbool.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "tools.h"

static int print_if_enabled(int fd)
{
    const char *text = gasnett_getenv("GASNET_BACKTRACE");
    return text && *text && gast_parse_yesno(text) == 1 ? gasnett_print_backtrace(fd) : 1;
}

int (*gasnett_print_backtrace_ifenabled)(int fd) = print_if_enabled;

static int print_by_libc(int fd)
{
    void *frames[128];
    int n = backtrace(frames, (int)(sizeof frames / sizeof *frames));
    if (n <= 0)
        return 1;
    backtrace_symbols_fd(frames, n, fd);
    return 0;
}

static const gasnett_backtrace_type_t *user_type(void)
{
    // weak: the client may have none
    const gasnett_backtrace_type_t *user = &gasnett_backtrace_user;
    return user && user->name && user->fnp ? user : NULL;
}

/** Tries the mechanism of that name. 0 when it printed. */
static int print_by(const char *name, size_t len, int fd)
{
    const gasnett_backtrace_type_t *user = user_type();
    if (user && strlen(user->name) == len && strncasecmp(name, user->name, len) == 0)
        return user->fnp(fd);
    if (len == 8 && strncasecmp(name, "EXECINFO", len) == 0)
        return print_by_libc(fd);
    return 1;
}

int gasnett_print_backtrace(int fd)
{
    const char *types = gasnett_getenv("GASNET_BACKTRACE_TYPE");
    if (!types || !*types) {
        const gasnett_backtrace_type_t *user = user_type();
        return user && user->fnp(fd) == 0 ? 0 : print_by_libc(fd);
    }
    for (const char *p = types; *p;) {
        size_t len = strcspn(p, ", ");
        if (len && print_by(p, len, fd) == 0)
            return 0;
        p += len + (p[len] != '\0');
    }
    dprintf(fd,
            "no backtrace: nothing in GASNET_BACKTRACE_TYPE=\"%s\" works here (EXECINFO would)\n",
            types);
    return 1;
}

// ---------------------------------------------------------------- by signals
static const struct {
    const char *name;
    int number;
} signals[] = {{"HUP", SIGHUP},   {"INT", SIGINT},   {"QUIT", SIGQUIT}, {"USR1", SIGUSR1},
               {"USR2", SIGUSR2}, {"TERM", SIGTERM}, {"CONT", SIGCONT}, {"ALRM", SIGALRM}};

static int signal_of(const char *variable)
{
    const char *text = gasnett_getenv(variable);
    if (!text || !*text)
        return 0;
    const char *name = strncasecmp(text, "SIG", 3) == 0 ? text + 3 : text;
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        if (strcasecmp(name, signals[i].name) == 0)
            return signals[i].number;
    gasnett_fatalerror_nopos(
        "%s=\"%s\": give SIGUSR1, SIGUSR2, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGCONT or SIGALRM",
        variable, text);
}

static void on_backtrace_signal(int number)
{
    int error = errno;
    (void)number;
    gasnett_print_backtrace(STDERR_FILENO);
    errno = error;
}

static void on_freeze_signal(int number)
{
    static volatile int frozen = 1;
    int error = errno;
    (void)number;
    frozen = 1;
    gasnett_freezeForDebuggerNow(&frozen, "frozen (in on_freeze_signal)");
    errno = error;
}

static void on_crash(int number)
{
    print_if_enabled(STDERR_FILENO);
    signal(number, SIG_DFL);
    raise(number);
}

void gasnett_backtrace_init(const char *exename)
{
    (void)exename;  // /proc names the program: argv[0] may be anything
    void *frame;
    backtrace(&frame, 1);  // loads its library now, not in a signal handler
    int number;
    if ((number = signal_of("GASNET_BACKTRACE_SIGNAL")))
        gasnett_reghandler(number, on_backtrace_signal);
    if ((number = signal_of("GASNET_FREEZE_SIGNAL")))
        gasnett_reghandler(number, on_freeze_signal);
    static const int crashes[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};
    const char *text = gasnett_getenv("GASNET_BACKTRACE");
    if (text && *text && gast_parse_yesno(text) == 1)
        for (size_t i = 0; i < sizeof crashes / sizeof *crashes; i++)
            gasnett_reghandler(crashes[i], on_crash);
}
