// SPDX-License-Identifier: BSD-3-Clause
//
// Processes that end without leaving the job, under launchers that take that for a success: PEs
// would wait for ever. One that exits ends the job in its last exit handler. One that ends
// otherwise (_exit, a signal) is found by its neighbour's thread (neighbour.h) or, since that may
// have gone, by looks of waiting PEs and the node server, also at the launcher's processes.
#ifndef CW_CORE_UNFINISHED_H
#define CW_CORE_UNFINISHED_H

/** After the node object is mapped. */
void cw_unfinished_open(void);
/** From here on this process ends in good order. */
void cw_unfinished_close(void);
/** This process ends the job with that status, and has explained it. */
void cw_unfinished_abort(int status);

#endif
