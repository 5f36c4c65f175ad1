// SPDX-License-Identifier: BSD-3-Clause
//
// Output of the program that is still in buffers when the job ends by a call.
#ifndef CW_BASE_OUTPUT_H
#define CW_BASE_OUTPUT_H

/** Flushes all streams, in another thread: a second is waited for that, no longer, since a thread
 *  of the program may hold the lock of a stream in a read that never ends, or the caller may be a
 *  signal handler that interrupted anything. */
void cwu_flush_output(void);

#endif
