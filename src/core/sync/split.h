// SPDX-License-Identifier: BSD-3-Clause
//
// The world's barrier in two phases, with a value of a few bits: a PE notifies, computes, and waits
// or tests later. Barriers of group.h may lie in between.
//
//     cw_split_notify(&split, value);
//     ...
//     cw_split_attend(&split);
//     for (; !cw_split_test(&split); cw_wait_round(&w))
//         cw_split_watch(&split, &w);
//     value = cw_split_value(&split);
//
// No call waits for another PE; all may come before PEs have gathered. Threads: one at a time
// notifies and attends; several may test.
#ifndef CW_CORE_SPLIT_H
#define CW_CORE_SPLIT_H

#include "core/progress/wait.h"
#include "core/sync/leaders.h"
#include "core/sync/node_sync.h"

enum { CW_SPLIT_VALUE_BITS = 34 };  // the phase has the other 30 of a word

typedef struct cw_split {
    cw_node_sync_t node;
    cw_leaders_t leaders;
    cw_coll_split_t *shared;  // of this node
    uint64_t phase;           // that this PE has notified last
    _Atomic uint64_t since_ns;  // when this PE found all of the node without its first; 0: not
} cw_split_t;

/** combine: commutative, associative, idempotent; the same in all processes. */
void cw_split_init(cw_split_t *split, cw_leaders_combine_fn combine);
/** Begins the next phase. A test of the one before was true. */
void cw_split_notify(cw_split_t *split, uint64_t value);
/** This PE does nothing else until the phase ends. */
void cw_split_attend(cw_split_t *split);
/** Advances the barrier if that is this PE's task. True: all have notified, and what they did is
 *  visible. */
bool cw_split_test(cw_split_t *split);
/** What the next round of a wait sleeps on. */
void cw_split_watch(const cw_split_t *split, cw_wait_t *w);
/** Valid from the end of a phase to the next notification. */
uint64_t cw_split_value(const cw_split_t *split);

#endif
