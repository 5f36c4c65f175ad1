// SPDX-License-Identifier: BSD-3-Clause
//
// Teams: groups with synchronisation state of their own. The world and the shared team (the PEs of
// this node) always exist; others are split off them or off each other. The address of a team's
// group serves front ends as handle; it stays valid until the team is destroyed.
//
// Each live team of a PE has a number below CW_TEAMS, the same on all members, and with it its
// cells, words and steps (core/sync/area.h). Disjoint teams may have the same number.
// Threads: any; a split or destroy is a collective of the parent or the team, so one thread at a
// time for each of these.
#ifndef CW_CORE_TEAM_H
#define CW_CORE_TEAM_H

#include "core/sync/group.h"

/** One of the teams that a split makes, as the calling PE states it: the ranks start, start +
 *  stride, ... of the parent, all of which exist; stride is not 0. */
typedef struct cw_team_part {
    int start, stride, size;
    int num_contexts;  // that the team is made for
} cw_team_part_t;

enum { CW_TEAM_PARTS = 2 };

/**
 * Makes nparts (at most CW_TEAM_PARTS) teams; parts that different PEs name under one index are
 * equal or disjoint. Collective over the parent. [waits] refused: this PE cannot take part; then no
 * PE gets a team.
 * teams_p [nparts]: the team, or NULL where this PE is no member.
 * Returns on all PEs of the parent alike: 0, CW_ENOMEM (no number is left that is free on all
 * members, or no memory), or CW_EINVAL (a PE refused). Not reported: the caller returns it to the
 * program.
 */
int cw_team_split(const cw_group_t *parent, const cw_team_part_t *parts, int nparts, bool refused,
                  const cw_group_t **teams_p);
/** Combines words of all future members, by AND and by MAX. Returns 0 or CW_E…, reported. */
typedef int (*cw_team_combine_fn)(void *arg, uint64_t *and_words, int nand, uint64_t *max_words,
                                  int nmax);
/**
 * A team of the PEs of a list, in its order, made by these alone: they agree by `combine`.
 * pes: distinct PEs, the same list on all members; copied. rank: of this PE. Collective over the
 * members. [waits]
 * Returns as cw_team_split does, or what combine reported; the same on all members.
 */
int cw_team_from_list(const int *pes, int size, int rank, bool refused, cw_team_combine_fn combine,
                      void *arg, const cw_group_t **team_p);
/** Collective over the team, which is neither the world nor the shared team. [waits] */
void cw_team_destroy(const cw_group_t *team);
/** Its members have come to different places (core/progress/abandon.h): it stays until the end of
 *  the job, has not leaked, and is not destroyed. */
void cw_team_abandon(const cw_group_t *team);

/** Is that the address of a live team? For checks; walks all teams. */
bool cw_team_is_live(const cw_group_t *group);
/** Contexts that the team was made for; INT_MAX for the world and the shared team. */
int cw_team_num_contexts(const cw_group_t *team);

void cw_teams_init(void);
void cw_teams_fini(void);

#endif
