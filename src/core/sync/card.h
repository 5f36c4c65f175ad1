// SPDX-License-Identifier: BSD-3-Clause
//
// What each PE tells all others of itself, for a front end whose PEs differ in something (GASNet:
// where the slice lies, how large the segment is): words that are 0 until they are told, and never
// change afterwards. Telling is a store into the node object and waits for nobody; whoever needs a
// word of another PE looks until it is there.
//
// A node keeps a table for all PEs of the job. The row of a node's own PEs is what they tell; the
// others are what somebody of the node has read of other nodes. To know all, a node reads from
// nodes at doubling distance what these have read before, so that N nodes open log N connections
// each; a node that nobody drives there is passed over after a while, and each missing row is read
// from the node that it is about.
//
//   in the control area:  busy, waiting | cards of node 0 [max_slots] | of node 1 ...
//
// Threads: any. Blocking: for answers of node servers at most; the caller waits
// (core/progress/wait.h) between looks.
#ifndef CW_CORE_CARD_H
#define CW_CORE_CARD_H

#include <stdbool.h>
#include <stdint.h>

#include "core/mem/layout.h"

typedef enum cw_card_word { CW_CARD_ORIGIN, CW_CARD_EXTENT, CW_CARD_WORDS } cw_card_word_t;

/** Of this PE; value is not 0. */
void cw_card_tell(cw_card_word_t which, uint64_t value);
/** Between these two a sleep of this thread ends when a PE of the node tells a word. */
void cw_card_wait(void);
void cw_card_wait_end(void);
/** Of any PE; 0: nobody of this node knows it. What the PE did before it told is visible. */
uint64_t cw_card_known(int pe, cw_card_word_t which);

/** A search that may need several looks. */
typedef struct cw_card_search {
    cw_card_word_t which;
    int distance;                // nodes known from mine on, in a circle; 0: not begun
    int pe;                      // all before that are known
    uint64_t since_ns, next_ns;  // other nodes are asked ever more seldom
} cw_card_search_t;
#define CW_CARD_SEARCH(word) \
    {                        \
        .which = (word)      \
    }
/** For one PE's word. 0: not yet. */
uint64_t cw_card_look(cw_card_search_t *search, int pe);
/** For everybody's. True: cw_card_known knows all. */
bool cw_card_look_all(cw_card_search_t *search);

extern cw_section_t cw_card_section;

#endif
