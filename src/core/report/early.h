// SPDX-License-Identifier: BSD-3-Clause
//
// A PE that comes to its end with status 0 and without finalize stays until the others have come to
// theirs (core/life). Others may wait for something that it would have done: such a job would never
// end. So it tells all nodes that it is early, sleeping PEs write into their pages what they wait
// for (waits.h), and one early PE of the job surveys the pages. A PE whose last finalize has waited
// for ten seconds does the same, unless CAUSEWAY_DEADLOCK asks for the report of that.
//
//   1. All PEs wait, one of them not in its end, for what PEs do and not for the network.
//   2. Each has tested its condition again since then, and none has moved.
//
// As the library sees it no PE can move any more then: one line names the early PE and one that
// waits, and the job ends. Where the program has threads, which might move one, the line is a
// warning. A PE that waits in a collective of the world for an early PE of its own node, or for the
// one that surveys, finds that by itself: it is in a later synchronisation than the other one will
// ever be.
//
// Nothing of this runs without an early PE, and nothing in a call that does not sleep. Data that
// is under way between nodes for longer than both surveys, more than a second, counts as lost.
// Threads: begun by the thread that ends the program.
#ifndef CW_CORE_EARLY_H
#define CW_CORE_EARLY_H

#include <stdbool.h>

/** This PE is in a finalize. Written by the thread that finalizes. */
extern bool cw_early_ending;

/** The job is joined. reported: an observer publishes what this PE waits for; asked_for: because
 *  of CAUSEWAY_DEADLOCK. */
void cw_early_open(bool reported, bool asked_for);
/** The last finalize of this PE begins to wait for the others, */
void cw_early_finalizes(const char *call);
/** and all have come. */
void cw_early_has_met(void);
/** This PE is early: how it has ended, for messages, kept by the caller. It finalizes next. */
void cw_early_begin(const char *how);
/** Is it the first one of its node? For messages; asked once. */
bool cw_early_is_first(void);
/** Might other threads of the program do what this PE waits for? */
bool cw_early_has_threads(void);

#endif
