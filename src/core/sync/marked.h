// SPDX-License-Identifier: BSD-3-Clause
//
// Marked puts: what a leader of another node, or this one's, writes for collectives, and a word
// that says so. Where puts are executed by a processor, and lost requests are noticed, they
// travel as one request, which leaves nothing to acknowledge; elsewhere as puts in order.
//
// Only what collectives use can be written by such a request: control areas of collectives, and
// slices. Words only grow while a group lives, and have one writer at a time.
// Threads: as cw_node_put. Blocking: as requests and puts.
#ifndef CW_CORE_MARKED_H
#define CW_CORE_MARKED_H

#include <stddef.h>
#include <stdint.h>

#define CW_MARKED_MOST 15872u  // bytes that may travel in one message

/** Writes nbytes (perhaps 0) at `at` in the node object of another node, then the word of 8 bytes
 *  at word_at. Who acquires the word there sees the rest, and what this PE has put to that node
 *  before on the default context. It leaves nothing for quiet; a node that cannot be reached ends
 *  the job. */
void cw_marked_put(int node, uint64_t at, const void *src, size_t nbytes, uint64_t word_at,
                   uint64_t word);
/** Before the node server starts. */
void cw_marked_init(void);

#endif
