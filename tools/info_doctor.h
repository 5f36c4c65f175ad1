// SPDX-License-Identifier: BSD-3-Clause
//
// causeway-info --all: what this installation and this machine are, and what would stop a job
// here. Each part prints its lines, and notes what a user may have to know; notes come last.
#ifndef TOOLS_INFO_DOCTOR_H
#define TOOLS_INFO_DOCTOR_H

#include "base/compiler.h"

/** Everything, with small jobs that are run. The exit status: 1 when one of these failed. */
int info_doctor(void);
/** One PE of such a job: transfers, an atomic, a collective, each compared. */
int info_trial(void);

/** A line of the last part: what may stop or slow some jobs. */
void info_note(const char *fmt, ...) CW_PRINTF(1, 2);
/** "  name             value", the form of all lines. */
void info_line(const char *name, const char *fmt, ...) CW_PRINTF(2, 3);

/** Waits for the end of a child; its status as waitpid has it, or -1. */
int info_wait(int pid);

/** info_machine.c: processors, memory, control groups, limits. */
void info_machine(void);
/** info_parts.c: files of this installation; plugins; launchers that are here. */
void info_paths(void);
void info_plugins(void);
void info_launchers(void);

#endif
