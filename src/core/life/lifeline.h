// SPDX-License-Identifier: BSD-3-Clause
//
// Nodes that watch each other in a ring: the host of a node's server holds a connection to the next
// one's, which the kernel ends with that process. So the end of a whole node is seen where no PE is
// connected with it (ADR 45).
#ifndef CW_CORE_LIFELINE_H
#define CW_CORE_LIFELINE_H

#include <stdbool.h>

/** The process has joined. */
void cw_lifeline_open(void);
/** Starts the thread, once, if this process is to watch. Never waits. */
void cw_lifeline_start(void);
/** Nothing is reported from here on. */
void cw_lifeline_hush(void);
/** Ends the thread. After the last fence: no node ends before all are hushed. */
void cw_lifeline_stop(void);

#endif
