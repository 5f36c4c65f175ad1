// SPDX-License-Identifier: BSD-3-Clause
//
// Teams: groups with synchronisation state of their own. The world and the shared team (the PEs of
// this node) are always there; others are split off them or one another. A team is known by its
// group, whose address serves front ends as handle, and which stays where it is until the team is
// destroyed.
//
// Each live team of a PE has a number below CW_TEAMS, the same on all members, and with it its
// cells, words and rounds (core/sync/area.h). Disjoint teams may have the same number.
// Threads: any; a split or destroy is a collective of the parent or the team, so one thread at a
// time for each of these.
#ifndef CW_CORE_TEAM_H
#define CW_CORE_TEAM_H

#include "core/sync/group.h"

/** One of the teams that a split makes, as the calling PE sees it: the parent's ranks start, start
 *  + stride, ... All of them must exist; stride is not 0. */
typedef struct cw_team_part {
    int start, stride, size;
    int num_contexts;  // that the team shall have room for
} cw_team_part_t;

enum { CW_TEAM_PARTS = 2 };

/**
 * Makes nparts (at most CW_TEAM_PARTS) teams; parts that different PEs name under one index are
 * equal or disjoint. Collective over the parent. [waits] refused: this PE cannot take part; then
 * nobody gets a team.
 * teams_p [nparts]: the team, or NULL where this PE is no member.
 * Returns on all PEs of the parent alike: 0, CW_ENOMEM (no number is left that is free on all
 * members, or no memory), or CW_EINVAL (some PE refused). Nothing is reported: the caller's result
 * says it.
 */
int cw_team_split(const cw_group_t *parent, const cw_team_part_t *parts, int nparts, bool refused,
                  const cw_group_t **teams_p);
/** Combines words of all future members, by AND and by MAX; 0 or CW_E…, reported. */
typedef int (*cw_team_combine_fn)(void *arg, uint64_t *and_words, int nand, uint64_t *max_words,
                                  int nmax);
/**
 * A team of the PEs of a list, in its order, made by those alone: they agree by means of their own.
 * pes: distinct PEs of the world, the same list on all; copied. rank: this PE's place. Collective
 * over the members.
 * Returns on all of them alike as cw_team_split does, or what combine reported.
 */
int cw_team_from_list(const int *pes, int size, int rank, bool refused, cw_team_combine_fn combine,
                      void *arg, const cw_group_t **team_p);
/** Collective over the team, which must not be the world or the shared one. [waits] */
void cw_team_destroy(const cw_group_t *team);

/** Is there a group of this address? For checks; walks all teams. */
bool cw_team_is_live(const cw_group_t *group);
/** Contexts that the team was made for; INT_MAX for those that are always there. */
int cw_team_num_contexts(const cw_group_t *team);

void cw_teams_init(void);
void cw_teams_fini(void);

#endif
