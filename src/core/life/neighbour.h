// SPDX-License-Identifier: BSD-3-Clause
//
// Watches this node's processes, under launchers that do not report ends (unfinished.h). A thread
// of each PE sleeps until the process of the slot before ends (slot 0: the last), so a PE learns of
// it at once, mostly before the launcher ends it, too. The first that knows reports it. Threads:
// any, but begin and end are one thread's.
#ifndef CW_CORE_NEIGHBOUR_H
#define CW_CORE_NEIGHBOUR_H

#include <stdbool.h>
#include <sys/types.h>

/** After the node object is mapped. Without a thread the looks of waits remain. */
void cw_neighbour_watch(void);
/** Nothing is reported any more. */
void cw_neighbour_hush(void);
/** Hushes, and ends the thread. */
void cw_neighbour_stop(void);

/** This process ends the job with that status, and has said why: others of the node report no end
 *  any more. If the launcher ends them no more, they follow (cw_neighbour_follow). */
void cw_neighbour_claim(int status);
/** Also true of one that its parent has not reaped. */
bool cw_neighbour_has_ended(pid_t pid);
/** Reports that the slot's process has ended without leaving. False: another end was reported
 *  before. */
bool cw_neighbour_report(int slot);
/** The slot's process has ended, and the launcher has had its time since. If it ended the job, so
 *  does this one, with its status; returns otherwise. A launcher may hear nothing of the end: under
 *  PMI-1 MPI_Finalize closes the connection to it. */
void cw_neighbour_follow(int slot);

#endif
