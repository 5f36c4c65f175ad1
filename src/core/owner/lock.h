// SPDX-License-Identifier: BSD-3-Clause
//
// Locks of a PE's memory: words of front ends' own memory, at one symmetric address, 0 while free.
// Who reads, changes and writes back memory that no processor updates at once (of devices, of
// private ranges) holds the lock of the PE meanwhile. Not fair, and no thread takes one twice.
// Threads: any. Blocking: while another one has it.
#ifndef CW_OWNER_LOCK_H
#define CW_OWNER_LOCK_H

#include <stdint.h>

void cw_owner_lock(const char *call, uint64_t *word, int pe);
/** What the holder wrote is complete. */
void cw_owner_unlock(uint64_t *word, int pe);

#endif
