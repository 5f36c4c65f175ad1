// SPDX-License-Identifier: BSD-3-Clause
//
// The last fence of a job whose launcher no longer listens, because an MPI library of the same
// processes has said good-bye to it for both.
#ifndef CW_CORE_LEAVE_H
#define CW_CORE_LEAVE_H

/** Returns when no PE waits for a reply from this one any more. Collective; after the last quiet.
 *  [waits] */
void cw_leave_without_launcher(const char *call);

#endif
