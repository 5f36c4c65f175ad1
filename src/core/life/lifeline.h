// SPDX-License-Identifier: BSD-3-Clause
//
// Nodes that watch each other's lives, in a ring: the process that hosts a node's server holds a
// connection to the one of the next node, on which nothing travels and which the kernel ends with
// that process. So the end of a whole node is seen where no PE is connected with it (ADR 45).
#ifndef CW_CORE_LIFELINE_H
#define CW_CORE_LIFELINE_H

#include <stdbool.h>

/** The process has joined: cw_lifeline_start may do something. */
void cw_lifeline_open(void);
/** Starts a thread that watches the next node, if this process is to do so and does not yet. Never
 *  waits. */
void cw_lifeline_start(void);
/** Nothing is reported from here on. */
void cw_lifeline_hush(void);
/** Ends the thread. After the last fence: no node ends before all have been hushed. */
void cw_lifeline_stop(void);

#endif
