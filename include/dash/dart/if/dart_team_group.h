// SPDX-License-Identifier: BSD-3-Clause
//
// DART 3.2: groups, which are sets of units that a unit has for itself, and teams, which their
// members make together. Groups name units by their numbers in DART_TEAM_ALL, in ascending order;
// team-relative numbers follow that order.
#ifndef DART_TEAM_GROUP_H_INCLUDED
#define DART_TEAM_GROUP_H_INCLUDED

#include <dash/dart/if/dart_types.h>
#include <dash/dart/if/dart_util.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Calls with a dart_group_t * give a group, which dart_group_destroy releases. */
typedef struct dart_group_struct *dart_group_t;

#define DART_TEAM_ALL ((dart_team_t)0)    // all units
#define DART_TEAM_NULL ((dart_team_t)-1)  // no team
#define DART_GROUP_NULL ((struct dart_group_struct *)NULL)

// ---------------------------------------------------------------- groups: no call communicates
/** An empty group. */
dart_ret_t dart_group_create(dart_group_t *group) DART_NOTHROW;
dart_ret_t dart_group_destroy(dart_group_t *group) DART_NOTHROW;
dart_ret_t dart_group_clone(const dart_group_t gin, dart_group_t *gout) DART_NOTHROW;
dart_ret_t dart_group_union(const dart_group_t g1, const dart_group_t g2,
                            dart_group_t *gout) DART_NOTHROW;
dart_ret_t dart_group_intersect(const dart_group_t g1, const dart_group_t g2,
                                dart_group_t *gout) DART_NOTHROW;
dart_ret_t dart_group_addmember(dart_group_t g, dart_global_unit_t unitid) DART_NOTHROW;
dart_ret_t dart_group_delmember(dart_group_t g, dart_global_unit_t unitid) DART_NOTHROW;
dart_ret_t dart_group_ismember(const dart_group_t g, dart_global_unit_t unitid,
                               int32_t *ismember) DART_NOTHROW;
dart_ret_t dart_group_size(const dart_group_t g, size_t *size) DART_NOTHROW;
/** unitids: as many as the group has. */
dart_ret_t dart_group_getmembers(const dart_group_t g, dart_global_unit_t *unitids) DART_NOTHROW;
/** Into *nout groups of nearly one size, at most n; gout [n]. */
dart_ret_t dart_group_split(const dart_group_t g, size_t n, size_t *nout,
                            dart_group_t *gout) DART_NOTHROW;
/** Into *nout groups, at most n, of units that are in one domain of that scope; gout [n]. */
dart_ret_t dart_group_locality_split(const dart_group_t g, dart_domain_locality_t *domain,
                                     dart_locality_scope_t scope, size_t n, size_t *nout,
                                     dart_group_t *gout) DART_NOTHROW;

// ---------------------------------------------------------------- teams
dart_ret_t dart_team_get_group(dart_team_t teamid, dart_group_t *group) DART_NOTHROW;
/** Collective over the parent. Units that will be no member may pass an empty group or NULL, and
 *  get DART_TEAM_NULL. */
dart_ret_t dart_team_create(dart_team_t teamid, const dart_group_t group,
                            dart_team_t *newteam) DART_NOTHROW;
/** Collective over the team. Sets it to DART_TEAM_NULL. */
dart_ret_t dart_team_destroy(dart_team_t *teamid) DART_NOTHROW;
/** Another team with the same members. Collective over the team. */
dart_ret_t dart_team_clone(dart_team_t team, dart_team_t *newteam) DART_NOTHROW;
dart_ret_t dart_team_myid(dart_team_t teamid, dart_team_unit_t *myid) DART_NOTHROW;
dart_ret_t dart_team_size(dart_team_t teamid, size_t *size) DART_NOTHROW;
dart_ret_t dart_myid(dart_global_unit_t *myid) DART_NOTHROW;
dart_ret_t dart_size(size_t *size) DART_NOTHROW;
/** From a number in the team to that in DART_TEAM_ALL. */
dart_ret_t dart_team_unit_l2g(dart_team_t team, dart_team_unit_t localid,
                              dart_global_unit_t *globalid) DART_NOTHROW;
/** And back; DART_UNDEFINED_UNIT_ID: the unit is no member. */
dart_ret_t dart_team_unit_g2l(dart_team_t team, dart_global_unit_t globalid,
                              dart_team_unit_t *localid) DART_NOTHROW;

#ifdef __cplusplus
}
#endif

#endif
