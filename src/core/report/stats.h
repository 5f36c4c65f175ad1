// SPDX-License-Identifier: BSD-3-Clause
//
// Counters. Always on and cheap: time per start-up phase (startup.h), connections (kept by the
// transport). With CAUSEWAY_STATS also calls, bytes and time per operation class, per routine and
// per peer, from every frame that ends (core/report/record.h). At finalize PE 0 gathers the
// records of all PEs and prints a page of the job (CAUSEWAY_STATS=1: stats_page.c), or writes
// them into one file (file.c): JSON (CAUSEWAY_STATS=json:PATH: stats_json.c;
// causeway-stats(5) describes it), or a page in HTML that draws this JSON (html:PATH:
// tools/page.html); or each PE prints its own (CAUSEWAY_STATS=pes: stats_text.c).
// Threads: any thread may count; all counters are relaxed atomics. Size: 80 bytes per PE,
// only while counting, because the traffic with each is the question.
#ifndef CW_CORE_STATS_H
#define CW_CORE_STATS_H

#include "core/observe/watch.h"

/** Active with CAUSEWAY_STATS; a value that it does not know is fatal. Finishing prints or writes,
 *  and is collective but for lines of each PE. */
extern const cw_observer_t cw_stats_observer;

#endif
