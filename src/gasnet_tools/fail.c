// SPDX-License-Identifier: BSD-3-Clause
//
// Fatal errors, signals, and the freeze for a debugger.
#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#include "tools.h"

void gasnett_fatalerror_at_(const char *where, const char *msg, ...)
{
    char text[2048];
    va_list ap;
    va_start(ap, msg);
    vsnprintf(text, sizeof text, msg, ap);
    va_end(ap);
    gasnett_flush_streams();
    fprintf(stderr, "*** FATAL ERROR (pid %d on %s)%s%s: %s\n", (int)getpid(),
            gasnett_gethostname(), where ? " at " : "", where ? where : "", text);
    fflush(stderr);
    gasnett_freezeForDebuggerErr();
    if (gasnett_print_backtrace_ifenabled)
        gasnett_print_backtrace_ifenabled(STDERR_FILENO);
    abort();
}

void gasnett_killmyprocess(int exitcode)
{
    _exit(exitcode);
}

char *gasnett_build_loc_(const char *func, const char *file, int line)
{
    size_t nbytes = strlen(func) + strlen(file) + 32;
    char *text = malloc(nbytes);
    if (!text)
        gasnett_fatalerror_nopos("out of memory (gasnett_current_loc)");
    snprintf(text, nbytes, "%s(%s:%d)", func, file, line);
    return text;
}

gasnett_sighandlerfn_t gasnett_reghandler(int sigtocatch, gasnett_sighandlerfn_t fp)
{
    struct sigaction now = {.sa_handler = fp, .sa_flags = SA_RESTART}, before;
    sigemptyset(&now.sa_mask);
    if (sigaction(sigtocatch, &now, &before))
        gasnett_fatalerror_nopos("gasnett_reghandler(%d): %s", sigtocatch, strerror(errno));
    return before.sa_handler;
}

const char *gasnett_signame_fromval(int sigval)
{
    static const char *const names[] = {
#define NAME(name) [SIG##name] = "SIG" #name
        NAME(ABRT), NAME(ALRM), NAME(BUS),    NAME(CHLD),  NAME(CONT), NAME(FPE),
        NAME(HUP),  NAME(ILL),  NAME(INT),    NAME(IO),    NAME(KILL), NAME(PIPE),
        NAME(PROF), NAME(PWR),  NAME(QUIT),   NAME(SEGV),  NAME(STOP), NAME(SYS),
        NAME(TERM), NAME(TRAP), NAME(TSTP),   NAME(TTIN),  NAME(TTOU), NAME(URG),
        NAME(USR1), NAME(USR2), NAME(VTALRM), NAME(WINCH), NAME(XCPU), NAME(XFSZ),
#undef NAME
    };
    return sigval >= 0 && (size_t)sigval < sizeof names / sizeof *names ? names[sigval] : NULL;
}

// ---------------------------------------------------------------- debugger
// Formats by hand: it may run in a signal handler.
static void say(const char *text)
{
    ssize_t written = write(STDERR_FILENO, text, strlen(text));
    (void)written;
}

void gasnett_freezeForDebuggerNow(volatile int *flag, const char *flagsymname)
{
    char pid[16];
    snprintf(pid, sizeof pid, "%d", (int)getpid());
    say("*** frozen for a debugger: attach to process ");
    say(pid);
    say(" on ");
    say(gasnett_gethostname());
    say(", set ");
    say(flagsymname);
    say(" to another value and continue\n");
    for (int frozen = *flag; *flag == frozen;)
        gasnett_nsleep(100 * 1000 * 1000);
}

// Set to 0 in the debugger; weak beside that of the library.
volatile int gasnet_frozen __attribute__((__weak__));

void gasnett_freezeForDebuggerErr(void)
{
    const char *text = gasnett_getenv("GASNET_FREEZE_ON_ERROR");
    if (text && *text && gast_parse_yesno(text) != 0) {
        gasnet_frozen = 1;
        gasnett_freezeForDebuggerNow(&gasnet_frozen, "gasnet_frozen");
    }
}
