// SPDX-License-Identifier: BSD-3-Clause
//
// The watch of the processes of this node. A thread of each PE sleeps until the process of the slot
// before its own ends (slot 0: of the last one), so of those that are left one learns of it at
// once, mostly before the launcher ends them for it, which may say nothing, or something else.
// The first PE that knows says which PE it was, and how it ended as far as the kernel tells.
//
// Under launchers that do not report that by themselves (unfinished.h). Threads: any, but begin and
// end are one thread's.
#ifndef CW_CORE_NEIGHBOUR_H
#define CW_CORE_NEIGHBOUR_H

#include <stdbool.h>
#include <sys/types.h>

/** Behind the mapping of the node object. Without a thread the looks of waits remain. */
void cw_neighbour_watch(void);
/** Nothing is reported any more. */
void cw_neighbour_hush(void);
/** The same, and the thread has ended. */
void cw_neighbour_stop(void);

/** This process ends the job, and has said why: its own end, and those that follow, are not
 *  reported by others of the node. */
void cw_neighbour_claim(void);
/** Has the process ended? Also true of one that its parent has not reaped. */
bool cw_neighbour_has_ended(pid_t pid);
/** The process of that slot has ended without leaving: says so, if nothing was said of another one
 *  of the node; false: nothing to say. */
bool cw_neighbour_report(int slot);

#endif
