// SPDX-License-Identifier: BSD-3-Clause
//
// Teams of GASNet-1's collectives: a team of GASNet-EX with a layout (legacy.c), and its barrier,
// in which each member notifies all others of its name.
#include <stdlib.h>

#include "gex/legacy.h"

void gex_check_coll_team(const char *call, gasnet_team_handle_t team)
{
    gex_check_team(call, &gex.world);
    if (team != GASNET_TEAM_ALL && (!team || team->magic != GEX_TEAM_MAGIC))
        gas_fail(call,
                 "%p is no team; give GASNET_TEAM_ALL or what gasnet_coll_team_split returned",
                 (void *)team);
}

static gex_TM_t tm_of(gasnet_team_handle_t team)
{
    return team == GASNET_TEAM_ALL ? &gex.world : team->layout.tm;
}

GAS_API gasnet_team_handle_t gasnet_coll_team_split(gasnet_team_handle_t parent,
                                                    gasnet_node_t color, gasnet_node_t relrank,
                                                    void *scratch)
{
    (void)scratch;  // needed by none
    gex_check_coll_team(__func__, parent);
    if (gas.images > 1)
        gas_fail(__func__, "this process has %u images; teams are of processes with one",
                 gas.images);
    gasnet_team_handle_t team = calloc(1, sizeof *team);
    gex_TM_t tm;
    gex_TM_Split(&tm, tm_of(parent), (int)color, (int)relrank, NULL, 0, GEX_FLAG_TM_NO_SCRATCH);
    gex_object_add(GEX_TEAM, tm, __func__, NULL);  // no call gives it back
    if (!team || !(team->said = calloc(tm->size + 1, sizeof *team->said)))
        cwu_fatal("%s: out of memory for a team of %u", __func__, tm->size);
    team->magic = GEX_TEAM_MAGIC;
    gex_lay_out(&team->layout, tm, NULL);
    pthread_mutex_lock(&gex.lock);
    tm->next_split = gex.split;
    __atomic_store_n(&gex.split, tm, __ATOMIC_RELEASE);
    pthread_mutex_unlock(&gex.lock);
    return team;
}

GAS_API gasnet_node_t gasnet_coll_team_size(gasnet_team_handle_t team)
{
    gex_check_coll_team(__func__, team);
    return tm_of(team)->size;
}

GAS_API gasnet_node_t gasnet_coll_team_rank2node(gasnet_team_handle_t team, int rank)
{
    gex_check_coll_team(__func__, team);
    return gex_TM_TranslateRankToJobrank(tm_of(team), (gex_Rank_t)rank);
}

GAS_API gasnet_node_t gasnet_coll_team_node2rank(gasnet_team_handle_t team, gasnet_node_t node)
{
    gex_check_coll_team(__func__, team);
    return gex_TM_TranslateJobrankToRank(tm_of(team), node);
}

// ---------------------------------------------------------------- barriers
GAS_API void gasnet_coll_causeway_notify(gasnet_team_handle_t team, int id, int flags)
{
    gex_check_coll_team("gasnet_coll_barrier_notify", team);
    if (team->notified)
        gas_fail("gasnet_coll_barrier_notify", "called twice without a wait in between");
    team->notified = true;
    gex_said_t *mine = &team->said[team->layout.nimages];
    *mine = (gex_said_t){.id = id, .flags = (uint32_t)flags};
    team->event = gasnet_coll_gather_all_nb(team, team->said, mine, sizeof *mine,
                                            GASNET_COLL_IN_MYSYNC | GASNET_COLL_OUT_MYSYNC |
                                                GASNET_COLL_LOCAL);
}

static int outcome(gasnet_team_handle_t team, gex_said_t mine)
{
    bool differs = mine.flags & GASNET_BARRIERFLAG_MISMATCH;
    const gex_said_t *named = mine.flags & GASNET_BARRIERFLAG_ANONYMOUS ? NULL : &mine;
    for (uint32_t i = 0; i < team->layout.nimages; i++) {
        const gex_said_t *said = &team->said[i];
        differs |= (said->flags & GASNET_BARRIERFLAG_MISMATCH) != 0;
        if (said->flags & GASNET_BARRIERFLAG_ANONYMOUS)
            continue;
        differs |= named && named->id != said->id;
        named = said;
    }
    team->notified = false;
    return differs ? GASNET_ERR_BARRIER_MISMATCH : GASNET_OK;
}

GAS_API int gasnet_coll_causeway_wait(gasnet_team_handle_t team, int id, int flags, int blocks)
{
    const char *call = blocks ? "gasnet_coll_barrier_wait" : "gasnet_coll_barrier_try";
    gex_check_coll_team(call, team);
    if (!team->notified)
        gas_fail(call, "called without gasnet_coll_barrier_notify before it");
    if (blocks)
        gex_Event_Wait(team->event);
    else if (gex_Event_Test(team->event) != GASNET_OK)
        return GASNET_ERR_NOT_READY;
    return outcome(team, (gex_said_t){.id = id, .flags = (uint32_t)flags});
}
