// SPDX-License-Identifier: BSD-3-Clause
//
// A signal asks this PE what it does (bootstrap/state.h): SIGURG, which does nothing to a process
// without a handler, or what CAUSEWAY_REPORT_SIGNAL names. Under oshrun the launcher asks and
// prints; else the first PE of each node that the signal reaches prints what those of its node say.
// A signal that ends processes does so after that. Threads: the thread that takes the signal tells
// what it does itself.
#ifndef CW_CORE_ASK_H
#define CW_CORE_ASK_H

#include "core/mem/layout.h"

extern cw_section_t cw_state_section;

/** The job is joined: a handler, unless the program has one. */
void cw_ask_open(void);
void cw_ask_close(void);

#endif
