// SPDX-License-Identifier: BSD-3-Clause
//
// Published words: what each PE publishes about itself for all others, on behalf of a front end
// whose PEs differ in something (where the slice lies, how large a segment is). Words that are 0
// until they are published, and never change afterwards. Publishing is a store into the node object
// and waits for no PE; a PE that needs a word of another one polls for it.
//
// A node keeps a table for all PEs of the job. The row of a node's own PEs is what these publish;
// the other rows are what PEs of the node have read from other nodes. To know all, a node reads
// from nodes at doubling distance what these have read before, so N nodes open log N connections
// each. A node where no PE drives this is skipped after a while, and each missing row is read from
// its own node.
//
//   in the control area:  busy, waiting | words of the PEs of node 0 [max_slots] | of node 1 ...
//
// Threads: any. Blocking: for replies of node servers at most; the caller waits
// (core/progress/wait.h) between polls.
#ifndef CW_CORE_PUBLISHED_H
#define CW_CORE_PUBLISHED_H

#include <stdbool.h>
#include <stdint.h>

#include "core/mem/layout.h"

typedef enum cw_published_word {
    CW_PUBLISHED_ORIGIN,
    CW_PUBLISHED_EXTENT,
    CW_PUBLISHED_WORDS
} cw_published_word_t;

/** Publishes a word of this PE; value is not 0. */
void cw_publish_word(cw_published_word_t which, uint64_t value);
/** Between these two, a sleep of this thread ends when a PE of the node publishes a word. */
void cw_published_wait(void);
void cw_published_wait_end(void);
/** A word of any PE; 0: not known on this node. What the PE did before publishing it is visible. */
uint64_t cw_published_known(int pe, cw_published_word_t which);

/** A search, which may take several polls. */
typedef struct cw_published_search {
    cw_published_word_t which;
    int distance;                // nodes known from this one on, in a circle; 0: not begun
    int pe;                      // all before that are known
    uint64_t since_ns, next_ns;  // other nodes are read at growing intervals
} cw_published_search_t;
#define CW_PUBLISHED_SEARCH(word) \
    {                             \
        .which = (word)           \
    }
/** Polls for the word of one PE. 0: not yet. */
uint64_t cw_published_poll(cw_published_search_t *search, int pe);
/** Polls for the words of all PEs. True: cw_published_known() has them all. */
bool cw_published_poll_all(cw_published_search_t *search);

extern cw_section_t cw_published_section;

#endif
