// SPDX-License-Identifier: BSD-3-Clause
//
// Notes: how PEs notify PEs of other nodes, between two synchronisations, that data has arrived.
//
//   stream   a receiver has one notifier, which counts 1, 2, 3, ...
//   steps    each comes once a collective, from any PE
//
// The world and teams have a word for each, raised by puts. An active set has pSync[15], to be left
// zero, to which atomics add: the stream in the low half, steps as bits of the high one. A PE
// awaits all its notes before cw_notes_end(), and then sees what the notifier has put to it before.
#ifndef CW_CORE_NOTES_H
#define CW_CORE_NOTES_H

#include "core/sync/group.h"

enum { CW_NOTE_STEPS = 30, CW_NOTE_WORDS = 1 + CW_NOTE_STEPS };

typedef struct cw_notes {
    long *words;
    long *reached;  // NULL: an active set
    long base;      // of the words, before this collective
} cw_notes_t;

cw_notes_t cw_notes_begin(const cw_group_t *group);
/** By all members. most: the largest number that any word of the group has received. */
void cw_notes_end(cw_notes_t *notes, long most);

/** Number `count` of the stream. */
void cw_notes_count(const cw_notes_t *notes, int pe, long count);
void cw_notes_await_count(const cw_notes_t *notes, long count);
void cw_notes_step(const cw_notes_t *notes, int pe, int step);
/** Puts, then notifies. Beyond CW_MARKED_MOST bytes, and in active sets, src stays in use until
 *  quiet. */
void cw_notes_step_put(const cw_notes_t *notes, int pe, int step, void *dest, const void *src,
                       size_t nbytes);
void cw_notes_await_step(const cw_notes_t *notes, int step);

#endif
