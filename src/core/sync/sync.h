// SPDX-License-Identifier: BSD-3-Clause
//
// What the data-moving collectives use of synchronisation.
#ifndef CW_CORE_COLL_SYNC_H
#define CW_CORE_COLL_SYNC_H

#include "core/sync/area.h"
#include "core/sync/group.h"

enum { CW_PSYNC_WORDS = 16, CW_PSYNC_NOTES = 15 };

/** Over the group's own words (set_sync.c). */
void cw_set_sync(const cw_group_t *group);

/** Symmetric words of the group: an active set's 16, zero between collectives; CW_TEAM_WORDS of the
 *  world's and a team's, which only grow while it lives. */
long *cw_group_words(const cw_group_t *group);
/** This PE's note of what the words of the world or of a team have come to, the same on all
 *  members. When a team is created it is at least what any of its words is on any member: they may
 *  have served another team before. Between collectives it must be so too. */
long *cw_group_reached(const cw_group_t *group);

/** Does the group have scratch? The world does, and the first CW_ROOMY_TEAMS teams of a PE; active
 *  sets have none. */
bool cw_group_has_scratch(const cw_group_t *group);
/** One half of this PE's scratch for the group, at the same symmetric address on all members; the
 *  other half the next time. A half is free again once the synchronisation of the next use is
 *  over. */
char *cw_group_scratch(const cw_group_t *group);

#endif
