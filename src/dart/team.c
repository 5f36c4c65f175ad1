// SPDX-License-Identifier: BSD-3-Clause
//
// Teams by their numbers, and the numbers of units.
#include "dart/drt.h"

#include <stdlib.h>

#include "base/error.h"
#include "dart/segment.h"

enum { NUMBERS = INT16_MAX + 1 };

drt_team_t **drt_teams;
uint32_t drt_teams_limit;

static drt_team_t *add(dart_team_t id, const cw_group_t *group)
{
    drt_team_t *team = calloc(1, sizeof *team);
    if (!team)
        cwu_fatal("out of memory for one more team");
    *team = (drt_team_t){.group = group, .id = id};
    drt_segments_open(team);
    drt_teams[id] = team;
    return team;
}

static void drop(drt_team_t *team)
{
    drt_teams[team->id] = NULL;
    drt_segments_close(team);
    free(team);
}

void drt_teams_open(void)
{
    if (!(drt_teams = calloc(NUMBERS, sizeof(drt_team_t *))))
        cwu_fatal("dart_init: out of memory for the table of teams");
    drt_teams_limit = NUMBERS;
    add(DART_TEAM_ALL, cw_group_world);
}

void drt_teams_close(void)
{
    drop(drt_teams[DART_TEAM_ALL]);
    drt_teams_limit = 0;
    free(drt_teams);
    drt_teams = NULL;
}

// ---------------------------------------------------------------- numbers of units
DRT_API dart_ret_t dart_myid(dart_global_unit_t *myid)
{
    DRT_WANT(myid);
    myid->id = DART_UNDEFINED_UNIT_ID;
    DRT_TEAM(all, DART_TEAM_ALL);
    myid->id = all->group->rank;
    return DART_OK;
}

DRT_API dart_ret_t dart_size(size_t *size)
{
    DRT_WANT(size);
    *size = 0;
    DRT_TEAM(all, DART_TEAM_ALL);
    *size = (size_t)all->group->size;
    return DART_OK;
}

DRT_API dart_ret_t dart_team_myid(dart_team_t teamid, dart_team_unit_t *myid)
{
    DRT_WANT(myid);
    myid->id = DART_UNDEFINED_UNIT_ID;
    DRT_TEAM(team, teamid);
    myid->id = team->group->rank;
    return DART_OK;
}

DRT_API dart_ret_t dart_team_size(dart_team_t teamid, size_t *size)
{
    DRT_WANT(size);
    DRT_TEAM(team, teamid);
    *size = (size_t)team->group->size;
    return DART_OK;
}

DRT_API dart_ret_t dart_team_unit_l2g(dart_team_t teamid, dart_team_unit_t localid,
                                      dart_global_unit_t *globalid)
{
    DRT_WANT(globalid);
    globalid->id = DART_UNDEFINED_UNIT_ID;
    DRT_TEAM(team, teamid);
    if (!drt_is_member(team, localid.id))
        return drt_refuse_unit(__func__, localid.id, team);
    globalid->id = cw_group_pe(team->group, localid.id);
    return DART_OK;
}

DRT_API dart_ret_t dart_team_unit_g2l(dart_team_t teamid, dart_global_unit_t globalid,
                                      dart_team_unit_t *localid)
{
    DRT_WANT(localid);
    localid->id = DART_UNDEFINED_UNIT_ID;
    DRT_TEAM(team, teamid);
    if (globalid.id < 0 || globalid.id >= cw_world.npes)
        return drt_refuse(__func__, DART_ERR_INVAL, "unit %d does not exist; there are %d",
                          globalid.id, cw_world.npes);
    localid->id = cw_group_rank_of(team->group, globalid.id);
    return DART_OK;
}

// ---------------------------------------------------------------- barrier
DRT_API dart_ret_t dart_barrier(dart_team_t teamid)
{
    DRT_TEAM(team, teamid);
    cw_barrier(team->group);
    return DART_OK;
}
