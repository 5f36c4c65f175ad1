// SPDX-License-Identifier: BSD-3-Clause
//
// The last fence after an MPI library has said good-bye to the launcher for both.
#ifndef CW_CORE_LEAVE_H
#define CW_CORE_LEAVE_H

/** Returns when no PE waits for a reply from this one. Collective; after the last quiet. [waits] */
void cw_leave_without_launcher(const char *call);

#endif
