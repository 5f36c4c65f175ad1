// SPDX-License-Identifier: BSD-3-Clause
//
// PEs that wait for each other while others go on: the deadlock report of a part of the job. Each
// PE that waits for a lock follows what is known for certain: the PE before it in the queue, which
// waits for another lock or holds this one; a PE in a collective of all PEs, or in its end, waits
// for all that have not come, so also for this one. Who writes a word, and who is in a team, no PE
// knows of another.
// Threads: called by a waiting thread, under the lock of the survey.
#ifndef CW_CORE_CYCLE_H
#define CW_CORE_CYCLE_H

#include "core/report/report.h"

/** This PE waits for longer than patience_ns. True: it has reported that it waits for itself
 *  through others, which all wait for so long; the lowest of them does, in the second search that
 *  finds that. May wait for another node. */
bool cw_cycle_find(uint64_t patience_ns);
/** A new job. */
void cw_cycle_open(void);

#endif
