// SPDX-License-Identifier: BSD-3-Clause
//
// How leaders tell one another, between two synchronisations of their group, that data has arrived.
// To another node only.
//
//   stream   a receiver has one teller, who counts 1, 2, 3, ...
//   steps    step 0, 1, 2, ... each comes once a call, from whoever
//
// The world and teams have a word for the stream and one for each step, which only grow: puts raise
// them. An active set has one word (pSync[15]), to be left zero: the stream counts in its low half,
// the steps are bits of its high half, and atomics add to it. Whoever is told must wait for all
// that is due to him before cw_notes_end().
// Order: what the teller had put to the told PE before is visible there after the wait (release,
// acquire).
#ifndef CW_CORE_COLL_NOTES_H
#define CW_CORE_COLL_NOTES_H

#include "core/sync/group.h"

enum { CW_NOTE_STEPS = 30, CW_NOTE_WORDS = 1 + CW_NOTE_STEPS };

typedef struct cw_notes {
    long *words;
    long *reached;  // NULL: an active set
    long base;      // what the words had reached before this call
} cw_notes_t;

cw_notes_t cw_notes_begin(const cw_group_t *group);
/** most: the largest number any word of the group was told in this call; the same on all members.
 *  All members of the group come here, told or not. */
void cw_notes_end(cw_notes_t *notes, long most);

void cw_notes_count(const cw_notes_t *notes, int pe, long count);
void cw_notes_await_count(const cw_notes_t *notes, long count);
void cw_notes_step(const cw_notes_t *notes, int pe, int step);
void cw_notes_await_step(const cw_notes_t *notes, int step);

#endif
