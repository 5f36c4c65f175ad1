// SPDX-License-Identifier: BSD-3-Clause
//
// Notes: how PEs, mostly leaders, notify PEs of other nodes, between two synchronisations of their
// group, that data has arrived.
//
//   stream   a receiver has one notifier, which counts 1, 2, 3, ...
//   steps    step 0, 1, 2, ... each comes once a collective, from any PE
//
// The world and teams have a word for the stream and one for each step, which only grow: puts raise
// them. An active set has one word (pSync[15]), to be left zero: the stream counts in its low half,
// the steps are bits of its high half, and atomics add to it. A notified PE waits for all notes
// that are due to it before cw_notes_end().
// Order: what the notifier has put to the notified PE before is visible there after the wait
// (release, acquire).
#ifndef CW_CORE_NOTES_H
#define CW_CORE_NOTES_H

#include "core/sync/group.h"

enum { CW_NOTE_STEPS = 30, CW_NOTE_WORDS = 1 + CW_NOTE_STEPS };

typedef struct cw_notes {
    long *words;
    long *reached;  // NULL: an active set
    long base;      // what the words had reached before this collective
} cw_notes_t;

cw_notes_t cw_notes_begin(const cw_group_t *group);
/** most: the largest number that any word of the group has received in this collective, the same on
 *  all members. All members of the group call it, notified or not. */
void cw_notes_end(cw_notes_t *notes, long most);

/** Notifies `pe`: number `count` of the stream. */
void cw_notes_count(const cw_notes_t *notes, int pe, long count);
void cw_notes_await_count(const cw_notes_t *notes, long count);
/** Notifies `pe`: the step. */
void cw_notes_step(const cw_notes_t *notes, int pe, int step);
/** Puts to `pe` and notifies it. Beyond CW_MARKED_MOST bytes, and in active sets, src stays in use
 *  until quiet. */
void cw_notes_step_put(const cw_notes_t *notes, int pe, int step, void *dest, const void *src,
                       size_t nbytes);
void cw_notes_await_step(const cw_notes_t *notes, int step);

#endif
