// SPDX-License-Identifier: BSD-3-Clause
//
// Words that each PE publishes about itself: 0 until then, constant afterwards.
//
// A node's table has a row for each node: its PEs publish in their own, others are read from other
// nodes, at doubling distance what these have read: log N connections each. A row that stays
// missing is read from its own node.
//
//   in the control area:  busy, waiting | words of the PEs of node 0 [max_slots] | of node 1 ...
//
// Threads: any. Blocking: for replies of node servers at most.
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

/** value: not 0. */
void cw_publish_word(cw_published_word_t which, uint64_t value);
/** In between, a PE of the node that publishes ends this thread's sleep. */
void cw_published_wait(void);
void cw_published_wait_end(void);
/** 0: not known on this node. What the PE did before publishing is visible. */
uint64_t cw_published_known(int pe, cw_published_word_t which);

/** Between polls the caller waits. */
typedef struct cw_published_search {
    cw_published_word_t which;
    int distance;                // nodes known from this one on, in a circle; 0: not begun
    int pe;                      // all before it are known
    uint64_t since_ns, next_ns;  // other nodes are read at growing intervals
} cw_published_search_t;
#define CW_PUBLISHED_SEARCH(word) \
    {                             \
        .which = (word)           \
    }
/** 0: not yet. */
uint64_t cw_published_poll(cw_published_search_t *search, int pe);
/** True: cw_published_known() has all. */
bool cw_published_poll_all(cw_published_search_t *search);

extern cw_section_t cw_published_section;

#endif
