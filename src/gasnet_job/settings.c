// SPDX-License-Identifier: BSD-3-Clause
//
// Settings of GASNet that concern the whole process: signals that the library leaves alone, and the
// report of all settings.
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/output.h"
#include "core/report/crash.h"
#include "gasnet_job/gas.h"

#define LAST_SIGNAL 64  // of Linux, and of the bits of left_alone

// ---------------------------------------------------------------- GASNET_NO_CATCH_SIGNAL
int gas_signal_of(const char *word, size_t len)
{
    char *end;
    long number = strtol(word, &end, 10);
    if (end == word + len)
        return number > 0 && number < LAST_SIGNAL ? (int)number : 0;
    if (len > 3 && strncasecmp(word, "SIG", 3) == 0) {
        word += 3;
        len -= 3;
    }
    for (int signo = 1; signo < LAST_SIGNAL; signo++) {
        const char *name = sigabbrev_np(signo);
        if (name && strlen(name) == len && strncasecmp(word, name, len) == 0)
            return signo;
    }
    return 0;
}

static uint64_t left_alone;  // bits by number; written before threads exist

bool gas_catches(int signo)
{
    return !(left_alone >> signo & 1);
}

static void leave_alone(const char *word, size_t len)
{
    int signo = gas_signal_of(word, len);
    if (signo)
        left_alone |= UINT64_C(1) << signo;
    else if (gas.me == 0)
        cwu_warn("GASNET_NO_CATCH_SIGNAL=\"%s\": there is no signal %.*s", cwu_env.no_catch_signal,
                 (int)len, word);
}

static void choose_signals(void)
{
    const char *list = cwu_env.no_catch_signal ? cwu_env.no_catch_signal : "";
    if (strcmp(list, "*") == 0) {
        left_alone = UINT64_MAX;
    } else {
        for (const char *p = list; *p; p += *p != '\0') {
            size_t len = strcspn(p, ", ");
            if (len > 0)
                leave_alone(p, len);
            p += len;
        }
    }
    for (int signo = 1; signo < LAST_SIGNAL; signo++)
        if (!gas_catches(signo))
            cw_crash_leave(signo);
}

// ---------------------------------------------------------------- GASNET_EXITTIMEOUT
double gas_exit_timeout(void)
{
    double seconds = cwu_env.exit_timeout_min + cwu_env.exit_timeout_factor * gas.nodes;
    if (cwu_env.exit_timeout_set)
        return cwu_env.exit_timeout;
    return seconds < cwu_env.exit_timeout_max ? seconds : cwu_env.exit_timeout_max;
}

// ---------------------------------------------------------------- GASNET_VERBOSEENV
static void report(const cwu_env_row_t *row)
{
    CWU_DECIMAL_POINT();
    char line[300], number[32];
    const char *value = row->given ? row->given : *row->def ? row->def : "*not set*";
    if (!row->given && strcmp(row->name, CWU_ENV_NAME(exit_timeout)) == 0) {
        snprintf(number, sizeof number, "%g", gas_exit_timeout());
        value = number;
    }
    int n = snprintf(line, sizeof line, "ENV parameter: %s = %.200s%s\n", row->name, value,
                     row->given ? "" : " (default)");
    cwu_write(line, (size_t)n);
    if (strcmp(row->name, CWU_ENV_NAME(max_segsize)) == 0 && gas.segments != GAS_EVERYTHING) {
        n = snprintf(line, sizeof line, "    A process can attach %" PRIuPTR " bytes.\n",
                     gas_max_segment());
        cwu_write(line, (size_t)n);
    }
}

void gas_settings_open(void)
{
    choose_signals();
    cwu_env_row_t row;
    for (size_t i = 0; cwu_env.verbose_env && gas.me == 0 && cwu_env_table(i, &row); i++)
        if (strncmp(row.name, "GASNET_", 7) == 0)
            report(&row);
}
