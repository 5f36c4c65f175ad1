// SPDX-License-Identifier: BSD-3-Clause
//
// Words and scratch of groups, for collectives that move data.
#ifndef CW_CORE_SYNC_H
#define CW_CORE_SYNC_H

#include "core/sync/area.h"
#include "core/sync/group.h"

enum { CW_PSYNC_WORDS = 16, CW_PSYNC_NOTES = 15 };

/** Of an active set, over its own words (set_sync.c). [waits] */
void cw_set_sync(const cw_group_t *group);

/** Of the members on this node; of an active set, which lacks words for that, of all. For a
 *  collective that synchronises all besides. [waits] */
void cw_sync_on_node(const cw_group_t *group);

/** Symmetric: 16 of an active set, zero between collectives; else CW_TEAM_WORDS, which only
 *  grow. */
long *cw_group_words(const cw_group_t *group);
/** What the words of the world or a team have reached, the same on all members: between collectives
 *  no word is larger. A new team starts with the largest value anywhere. */
long *cw_group_reached(const cw_group_t *group);

/** Of a half; 0 for teams from CW_ROOMY_TEAMS on and for active sets. */
size_t cw_group_scratch_nbytes(const cw_group_t *group);
/** A half of this PE's scratch, at one symmetric address on all members; the next call returns the
 *  other. Free again after the synchronisation that follows the next call. */
char *cw_group_scratch(const cw_group_t *group);
/** The half of the last call; before the first, one that no PE has used. */
char *cw_group_scratch_again(const cw_group_t *group);

#endif
