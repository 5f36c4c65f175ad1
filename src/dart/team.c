// SPDX-License-Identifier: BSD-3-Clause
//
// Teams: their table, how they are made, the numbers of units.
//
// A team is made by one small reduction over the parent. It carries what core's teams agree on, and
// a serial number that no member of the parent has seen: the team's number. When numbers have been
// used up, further reductions look for one that no team of a member has.
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "core/sync/fused.h"
#include "core/sync/team.h"
#include "dart/group.h"
#include "dart/locality/locality.h"
#include "dart/segment.h"
#include "dart/transfer.h"

enum { NUMBERS = INT16_MAX + 1 };

drt_team_t **drt_teams;
uint32_t drt_teams_limit;

static uint64_t serial;  // larger than that of every team that this unit has seen made

static drt_team_t *add(dart_team_t id, const cw_group_t *group)
{
    static uint64_t made;
    drt_team_t *team = calloc(1, sizeof *team);
    if (!team)
        cwu_fatal("out of memory for one more team");
    *team = (drt_team_t){.group = group, .id = id, .made = ++made};
    drt_segments_open(team);
    drt_teams[id] = team;
    return team;
}

static void drop(drt_team_t *team)
{
    drt_teams[team->id] = NULL;
    drt_segments_close(team);
    drt_locality_drop(team);
    free(team);
}

void drt_teams_open(void)
{
    if (!(drt_teams = calloc(NUMBERS, sizeof(drt_team_t *))))
        cwu_fatal("dart_init: out of memory for the table of teams");
    drt_teams_limit = NUMBERS;
    add(DART_TEAM_ALL, cw_group_world);
    serial = 1;
}

void drt_teams_close(void)
{
    for (int id = 0; id < NUMBERS; id++)
        if (drt_teams[id])
            drop(drt_teams[id]);
    drt_spares_close();
    drt_teams_limit = 0;
    free(drt_teams);
    drt_teams = NULL;
}

// ---------------------------------------------------------------- making
enum { AND_WORDS = CW_TEAMS / 64, MAX_WORDS = 2, TURNS = 64 };  // TURNS: then core gives up
_Static_assert((int)MAX_WORDS < (int)CW_FUSED_MAX, "and the serial number");

/** cw_team_combine_fn over the parent, whose other members take part. The serial number travels
 *  with what core agrees on. */
static int combine(void *parent, uint64_t *and_words, int nand, uint64_t *max_words, int nmax)
{
    uint64_t max[CW_FUSED_MAX] = {serial};
    memcpy(max + 1, max_words, (size_t)nmax * sizeof *max);
    cw_fused_and_max(parent, and_words, nand, max, 1 + nmax);
    memcpy(max_words, max + 1, (size_t)nmax * sizeof *max);
    serial = max[0];
    return CW_OK;
}

/** Of a unit that will be no member: as often as the members combine (core/sync/team.c). */
static int attend(const cw_group_t *parent)
{
    bool waited = false;
    for (int turn = 0; turn < TURNS; turn++) {
        uint64_t and[AND_WORDS], max[MAX_WORDS] = {0}, any = 0;
        memset(and, 0xff, sizeof and);
        combine((void *)(uintptr_t)parent, and, AND_WORDS, max, MAX_WORDS);
        for (int i = 0; i < AND_WORDS; i++)
            any |= and[i];
        if (max[1] == CW_TEAM_REFUSED)
            return CW_EINVAL;
        if (!any && waited)
            return CW_ENOMEM;
        if (!any) {  // members wait for numbers that are about to be free
            waited = true;
            continue;
        }
        if (max[1] != CW_TEAM_THREADS)
            return CW_OK;
        uint64_t claims[MAX_WORDS] = {0};
        combine((void *)(uintptr_t)parent, NULL, 0, claims, MAX_WORDS);
        if (!claims[0])
            return CW_OK;
    }
    return CW_ENOMEM;
}

static void merge_bits(const cw_fused_op_t *op, void *acc, const void *in)
{
    (void)op;
    *(uint64_t *)acc |= *(const uint64_t *)in;
}

static dart_team_t number_of(uint64_t of)
{
    return (dart_team_t)(1 + of % (NUMBERS - 1));
}

/** The number of the team that has been agreed on, the same on all members of the parent. */
static dart_team_t take_number(const cw_group_t *parent)
{
    static const cw_fused_op_t op = {merge_bits};
    enum { WINDOW = 64 };
    while (serial + WINDOW >= NUMBERS) {
        uint64_t used = 0;
        for (unsigned i = 0; i < WINDOW; i++)
            used |= (uint64_t)(drt_teams[number_of(serial + i)] != NULL) << i;
        cw_fused(parent, &used, sizeof used, &op);
        if (~used) {
            serial += (unsigned)__builtin_ctzll(~used);
            break;
        }
        serial += WINDOW;
    }
    return number_of(serial++);
}

/** Makes core's team. *group_p: NULL where this unit is no member. */
static int agree(const drt_team_t *parent, const dart_group_t group, const cw_group_t **group_p)
{
    int mine = -1;
    bool refused = false;
    for (size_t i = 0; group && i < group->n; i++) {
        refused = refused || cw_group_rank_of(parent->group, group->units[i]) < 0;
        if (group->units[i] == cw_world.pe)
            mine = (int)i;
    }
    *group_p = NULL;
    if (mine < 0)
        return attend(parent->group);
    return cw_team_from_list(group->units, (int)group->n, mine, refused, combine,
                             (void *)(uintptr_t)parent->group, group_p);
}

DRT_API dart_ret_t dart_team_create(dart_team_t teamid, const dart_group_t group,
                                    dart_team_t *newteam)
{
    DRT_WANT(newteam);
    *newteam = DART_TEAM_NULL;
    DRT_TEAM(parent, teamid);
    const cw_group_t *made;
    drt_agree(parent, __func__);
    int rc = agree(parent, group, &made);
    if (rc == CW_ENOMEM)
        return drt_refuse(__func__, DART_ERR_NOMEM, "a unit is in %d teams, or has no memory",
                          CW_TEAMS);
    if (rc)
        return drt_refuse(__func__, DART_ERR_INVAL, "the group has a unit that is not in team %d",
                          teamid);
    dart_team_t id = take_number(parent->group);
    if (made) {
        add(id, made);
        *newteam = id;
    }
    return DART_OK;
}

DRT_API dart_ret_t dart_team_destroy(dart_team_t *teamid)
{
    DRT_WANT(teamid);
    if (*teamid == DART_TEAM_NULL)
        return DART_OK;
    DRT_TEAM(team, *teamid);
    if (team->id == DART_TEAM_ALL)
        return drt_refuse(__func__, DART_ERR_INVAL, "DART_TEAM_ALL ends with dart_exit");
    const cw_group_t *group = team->group;
    drt_gets_finish();
    drt_check_flushed(__func__);
    cw_quiet_default();
    drt_agree(team, __func__);
    cw_team_destroy(group);  // which synchronises: no member uses its segments any more
    drop(team);
    *teamid = DART_TEAM_NULL;
    return DART_OK;
}

DRT_API dart_ret_t dart_team_get_group(dart_team_t teamid, dart_group_t *group)
{
    DRT_WANT(group);
    *group = DART_GROUP_NULL;
    DRT_TEAM(team, teamid);
    *group = drt_group_make((size_t)team->group->size);
    if (!*group)
        return drt_refuse(__func__, DART_ERR_NOMEM, "there is no memory for a group");
    for (int rank = 0; rank < team->group->size; rank++)
        drt_group_append(*group, cw_group_pe(team->group, rank));
    return DART_OK;
}

DRT_API dart_ret_t dart_team_clone(dart_team_t team, dart_team_t *newteam)
{
    dart_group_t group;
    DRT_WANT(newteam);
    *newteam = DART_TEAM_NULL;
    dart_ret_t rc = dart_team_get_group(team, &group);
    if (rc == DART_OK)
        rc = dart_team_create(team, group, newteam);
    dart_group_destroy(&group);
    return rc;
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
    drt_gets_finish();
    drt_check_flushed(__func__);
    drt_agree(team, __func__);
    cw_barrier(team->group);
    return DART_OK;
}
