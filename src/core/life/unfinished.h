// SPDX-License-Identifier: BSD-3-Clause
//
// Processes that end without leaving the job, under launchers that take that for a success: every
// PE that waits for such a process would wait for ever. oshrun reports them itself.
//
// A process that ends by exit or a return from main, and has not finalized by that (its front end's
// exit handler: core/report/early.h), ends the job in its last exit handler. One that ends in
// another way (_exit, a signal) is found by its node: a thread of its neighbour sleeps until that
// happens (neighbour.h), and as the neighbour may have ended with it, or left already, waiting PEs
// and the node server look now and then whether the processes of the node live, and the launcher's
// that they depend on.
#ifndef CW_CORE_UNFINISHED_H
#define CW_CORE_UNFINISHED_H

/** After the node object is mapped. */
void cw_unfinished_open(void);
/** The end of this process is orderly from here on. */
void cw_unfinished_close(void);
/** This process ends the job, which it has explained if that needs an explanation. */
void cw_unfinished_abort(void);

#endif
