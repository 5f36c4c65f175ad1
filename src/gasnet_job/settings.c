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

// ---------------------------------------------------------------- settings of the release
/** What tunes the insides of the release, or its tracing. Not those that clients set by themselves
 *  for any GASNet, such as GASNET_PHYSMEM_PROBE, nor those that only ask for silence. */
static const char *const without_effect[] = {"GASNET_OFI_NUM_BBUFS",
                                             "GASNET_OFI_BBUF_SIZE",
                                             "GASNET_OFI_BBUF_THRESHOLD",
                                             "GASNET_OFI_RMA_POLL_FREQ",
                                             "GASNET_OFI_NUM_RECEIVE_BUFFS",
                                             "GASNET_OFI_RECEIVE_BUFF_SIZE",
                                             "GASNET_OFI_INJECT_LIMIT",
                                             "GASNET_OFI_TX_CQ_SIZE",
                                             "GASNET_OFI_RX_CQ_SIZE",
                                             "GASNET_OFI_MAX_REQUEST_BUFFS",
                                             "GASNET_OFI_MAX_REPLY_BUFFS",
                                             "GASNET_OFI_NUM_INITIAL_REQUEST_BUFFS",
                                             "GASNET_OFI_NUM_INITIAL_REPLY_BUFFS",
                                             "GASNET_OFI_LONG_AM_RMA_THRESH",
                                             "GASNET_OFI_DEVICE",
                                             "GASNET_OFI_DEVICE_TYPE",
                                             "GASNET_NETWORKDEPTH",
                                             "GASNET_PSHM_NETWORK_DEPTH",
                                             "GASNET_BARRIER",
                                             "GASNET_PSHM_BARRIER_HIER",
                                             "GASNET_PSHM_BARRIER_RADIX",
                                             "GASNET_VIS_AMPIPE",
                                             "GASNET_VIS_MAXCHUNK",
                                             "GASNET_VIS_PUT_MAXCHUNK",
                                             "GASNET_VIS_GET_MAXCHUNK",
                                             "GASNET_VIS_REMOTECONTIG",
                                             "GASNET_COLL_SCRATCH_SIZE",
                                             "GASNET_COLL_ENABLE_SEARCH",
                                             "GASNET_DISABLE_MUNMAP",
                                             "GASNET_TRACEFILE",
                                             "GASNET_TRACEMASK",
                                             "GASNET_TRACENODES",
                                             "GASNET_STATSFILE",
                                             "GASNET_STATSMASK",
                                             "GASNET_STATSNODES"};

/** One line for all that are set. */
static void warn_without_effect(void)
{
    char names[400] = "";
    size_t at = 0, n = 0;
    for (size_t i = 0; i < sizeof without_effect / sizeof *without_effect; i++) {
        const char *value = cwu_env_get(without_effect[i]);
        if (!value || !*value || at >= sizeof names)
            continue;
        int more =
            snprintf(names + at, sizeof names - at, "%s%s", n ? ", " : "", without_effect[i]);
        at += (size_t)more;
        n++;
    }
    if (n)
        cwu_warn("%s: of GASNet's own library, no effect here; causeway-info --env lists what has "
                 "(CAUSEWAY_TRACE and CAUSEWAY_STATS for its tracing and statistics)",
                 names);
}

void gas_settings_open(void)
{
    choose_signals();
    if (gas.me == 0)
        warn_without_effect();
    cwu_env_row_t row;
    for (size_t i = 0; cwu_env.verbose_env && gas.me == 0 && cwu_env_table(i, &row); i++)
        if (strncmp(row.name, "GASNET_", 7) == 0)
            report(&row);
}
