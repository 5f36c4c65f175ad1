// SPDX-License-Identifier: BSD-3-Clause
//
// Locks of a PE's memory: words at one symmetric address in front ends' own memory, 0 while free,
// held while memory without atomics (of devices, private ranges) is changed. Not fair, not
// recursive. Threads: any. Blocking: while another thread holds it.
#ifndef CW_OWNER_LOCK_H
#define CW_OWNER_LOCK_H

#include <stdint.h>

void cw_owner_lock(const char *call, uint64_t *word, int pe);
/** The holder's writes must be complete. */
void cw_owner_unlock(uint64_t *word, int pe);

#endif
