// SPDX-License-Identifier: BSD-3-Clause
//
// What the data-moving collectives use of synchronisation.
#ifndef CW_CORE_COLL_SYNC_H
#define CW_CORE_COLL_SYNC_H

#include "core/coll/coll.h"

enum { CW_PSYNC_WORDS = 16, CW_PSYNC_CHUNKS = 15 };

/** Over the group's own words (set_sync.c). */
void cw_set_sync(const cw_group_t *group);

/** Starts the leaders' sequence anew (leaders.c). */
void cw_leaders_reset(void);

/** 16 symmetric words that are zero between collectives: the group's own, or the world's in the scratch. */
long *cw_group_words(const cw_group_t *group);

/** One half of this PE's collective scratch; alternates from call to call, so that a half is free again once
 * the synchronisation of the next use is over. For collectives of the world only: other groups cannot know
 * who still reads. */
enum { CW_SCRATCH_HALF = 30 * 1024 };
char *cw_world_scratch(void);
/** A symmetric word in which collect publishes this PE's size. */
uint64_t *cw_collect_word(void);

#endif
