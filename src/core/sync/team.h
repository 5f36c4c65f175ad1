// SPDX-License-Identifier: BSD-3-Clause
//
// Teams: groups with synchronisation state of their own. The world and the shared team (this node's
// PEs) always exist; others are split off. The address of its group is a team's handle until it is
// destroyed.
//
// Each live team of a PE has a number below CW_TEAMS, the same on all members, and with it cells,
// words and steps (area.h). Threads: any; one at a time for each parent or team.
#ifndef CW_CORE_TEAM_H
#define CW_CORE_TEAM_H

#include "core/sync/group.h"

/** As this PE states it: ranks start, start + stride, ... of the parent, which exist; stride is not
 *  0. */
typedef struct cw_team_part {
    int start, stride, size;
    int num_contexts;  // that the team is made for
} cw_team_part_t;

enum { CW_TEAM_PARTS = 2 };

/**
 * Makes nparts (at most CW_TEAM_PARTS) teams; parts of one index on different PEs are equal or
 * disjoint. refused: this PE cannot take part; then no PE gets a team. teams_p[i]: NULL where this
 * PE is no member. Collective over the parent. [waits] Returns the same on all PEs: 0, CW_ENOMEM
 * (also: no number is free on all) or CW_EINVAL (a PE refused); not reported.
 */
int cw_team_split(const cw_group_t *parent, const cw_team_part_t *parts, int nparts, bool refused,
                  const cw_group_t **teams_p);
/** The last of the words that are combined by MAX. PEs may have different thread levels: where one
 *  has several threads, all find out in a second turn who got a number. */
typedef enum cw_team_state { CW_TEAM_READY, CW_TEAM_THREADS, CW_TEAM_REFUSED } cw_team_state_t;
/** Over all future members. Returns 0 or CW_E…, reported. */
typedef int (*cw_team_combine_fn)(void *arg, uint64_t *and_words, int nand, uint64_t *max_words,
                                  int nmax);
/**
 * A team of these PEs, in this order, which agree by `combine`. pes: distinct, the same on all;
 * copied. rank: of this PE. Collective over the members. [waits] Returns as cw_team_split does, or
 * what combine reported; the same on all members.
 */
int cw_team_from_list(const int *pes, int size, int rank, bool refused, cw_team_combine_fn combine,
                      void *arg, const cw_group_t **team_p);
/** Neither the world nor the shared team. Collective. [waits] */
void cw_team_destroy(const cw_group_t *team);
/** Members have abandoned a collective: the team stays until the end of the job, and has not
 *  leaked. */
void cw_team_abandon(const cw_group_t *team);

/** For checks; walks all teams. */
bool cw_team_is_live(const cw_group_t *group);
/** INT_MAX for the world and the shared team. */
int cw_team_num_contexts(const cw_group_t *team);

void cw_teams_init(void);
void cw_teams_fini(void);

#endif
