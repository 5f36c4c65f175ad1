// SPDX-License-Identifier: BSD-3-Clause
//
// Marked puts: data of a collective for another node, and a word that says so. One request without
// an acknowledgement, for areas of collectives and slices only, or puts in order
// (docs/design/synchronisation.md). Words have one writer at a time and only grow while a group
// lives. Threads: as cw_node_put. Blocking: as requests and puts.
#ifndef CW_CORE_MARKED_H
#define CW_CORE_MARKED_H

#include <stddef.h>
#include <stdint.h>

#define CW_MARKED_MOST 15872u  // bytes in one message

/** Writes nbytes (perhaps 0) at `at` in another node's object, then the 8-byte word at word_at.
 *  Acquiring the word shows these, and this PE's earlier puts to that node on the default context.
 *  Leaves nothing for quiet; an unreachable node ends the job. */
void cw_marked_put(int node, uint64_t at, const void *src, size_t nbytes, uint64_t word_at,
                   uint64_t word);
/** Before the node server starts. */
void cw_marked_init(void);

#endif
