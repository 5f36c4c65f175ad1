// SPDX-License-Identifier: BSD-3-Clause
//
// What the data-moving collectives need besides synchronisation: words and scratch of the group.
#ifndef CW_CORE_SYNC_H
#define CW_CORE_SYNC_H

#include "core/sync/area.h"
#include "core/sync/group.h"

enum { CW_PSYNC_WORDS = 16, CW_PSYNC_NOTES = 15 };

/** The barrier of an active set, over its own words (set_sync.c). [waits] */
void cw_set_sync(const cw_group_t *group);

/** As cw_sync, among the members of this node; of an active set, which has no words for that, among
 *  all. For a collective that synchronises all of them besides. [waits] */
void cw_sync_on_node(const cw_group_t *group);

/** Symmetric words of the group: 16 of an active set, zero between collectives; CW_TEAM_WORDS of
 *  the world or a team, which only grow while it lives. */
long *cw_group_words(const cw_group_t *group);
/** What the words of the world or of a team have reached, kept by each PE, the same on all members:
 *  between collectives no word of any member is larger. A new team starts with the largest value
 *  that its words have anywhere, since they may have served another team. */
long *cw_group_reached(const cw_group_t *group);

/** Bytes of a half of the group's scratch: the world has most; teams beyond the first
 *  CW_ROOMY_TEAMS of a PE, and active sets, have none. */
size_t cw_group_scratch_nbytes(const cw_group_t *group);
/** One half of this PE's scratch for the group, at the same symmetric address on all members; the
 *  next call returns the other half. A half is free again after the synchronisation that follows
 *  the next call. */
char *cw_group_scratch(const cw_group_t *group);
/** The half that the last call has returned; before the first, one that no PE has used. */
char *cw_group_scratch_again(const cw_group_t *group);

#endif
