// SPDX-License-Identifier: BSD-3-Clause
//
// Making and destroying teams (docs/design/teams.md). Members agree on a number by a reduction over
// the parent; with several threads, a second one finds out whether all could claim it.
//
// cw_team_destroy() releases a number after the last synchronisation, with cells as fresh ones. A
// node's leader keeps it until the others, which read its area, have left. Steps and words are not
// reset: a new team starts above them.
#include "core/sync/team.h"

#include <limits.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "core/observe/check.h"
#include "core/sync/fused.h"
#include "core/sync/map.h"

#define WORD_BITS 64
#define CLAIMS 64  // attempts before a split gives up

enum { WORLD_ID = 0, SHARED_ID = 1, FIRST_ID = 2 };

typedef struct cw_team {
    cw_group_t group;  // first: its address is the handle
    cw_group_sync_t sync;
    int *pes;        // group.pes
    int *local_pes;  // of the members on this node
    int num_contexts;
    bool abandoned;
    struct cw_team *next;  // in `leaving`
} cw_team_t;

static cw_team_t shared;
const cw_group_t *const cw_group_shared = &shared.group;

static struct {
    pthread_mutex_t lock;                  // guards the rest
    uint64_t taken[CW_TEAMS / WORD_BITS];  // of this PE's teams
    cw_team_t **live;    // [CW_TEAMS] made by splits; NULL before the first
    cw_team_t *leaving;  // destroyed, with members that read this PE's area
    uint64_t reached;    // no word or step of a free number has seen more
} teams = {.lock = PTHREAD_MUTEX_INITIALIZER};

// ---------------------------------------------------------------- one team

/** No table for an arithmetic sequence. pes: kept by the caller. */
static void set_members(cw_group_t *group, const int *pes, int size)
{
    int stride = size > 1 ? pes[1] - pes[0] : 1;
    bool regular = true;
    for (int rank = 2; rank < size && regular; rank++)
        regular = pes[rank] - pes[rank - 1] == stride;
    group->start = pes[0];
    group->stride = stride;
    group->size = size;
    group->pes = regular ? NULL : pes;
}

static void start_sync(cw_team_t *team, const int *local_pes, int mine, int nlocal, int nnodes,
                       int id, uint64_t from)
{
    cw_group_sync_t *sync = &team->sync;
    sync->id = id;
    sync->reached = (long)from;
    sync->most = nnodes > 1 && id < CW_ROOMY_TEAMS ? CW_COLL_MEDIUM : CW_COLL_SMALL;
    cw_coll_scratch_t *scratch = cw_coll_scratch();
    cw_node_sync_join(&sync->node, &scratch->cell[id],
                      id < CW_ROOMY_TEAMS ? &scratch->odd[id] : NULL, local_pes, mine, nlocal,
                      nnodes);
    if (nnodes > 1)
        cw_leaders_init(&sync->leaders, &team->group, &sync->map, id, from);
    team->group.sync = sync;
}

static void drop(cw_team_t *team)
{
    if (!team)
        return;
    cw_map_drop(&team->sync.map);
    free(team->local_pes);
    free(team->pes);
    free(team);
}

static int rank_in_part(const cw_team_part_t *part, int parent_rank)
{
    int away = parent_rank - part->start, rank = away / part->stride;
    return away % part->stride == 0 && rank >= 0 && rank < part->size ? rank : -1;
}

static bool find_members(cw_team_t *team, const cw_group_t *parent, const cw_team_part_t *part)
{
    cw_group_t *group = &team->group;
    group->rank = rank_in_part(part, parent->rank);
    if (!parent->pes) {
        group->start = parent->start + part->start * parent->stride;
        group->stride = part->stride * parent->stride;
        group->size = part->size;
        return true;
    }
    team->pes = malloc((size_t)part->size * sizeof(int));
    if (!team->pes)
        return false;
    for (int rank = 0; rank < part->size; rank++)
        team->pes[rank] = cw_group_pe(parent, part->start + rank * part->stride);
    set_members(group, team->pes, part->size);
    return true;
}

/** False: no memory. */
static bool have_room(void)
{
    pthread_mutex_lock(&teams.lock);
    if (!teams.live)
        teams.live = calloc(CW_TEAMS, sizeof(cw_team_t *));
    bool room = teams.live != NULL;
    pthread_mutex_unlock(&teams.lock);
    return room;
}

/** False: no memory. */
static bool take_list(cw_team_t *team, const int *pes, int size, int rank)
{
    int *copy = malloc((size_t)size * sizeof *copy);
    if (!copy)
        return false;
    memcpy(copy, pes, (size_t)size * sizeof *copy);
    team->group.rank = rank;
    set_members(&team->group, copy, size);
    if (team->group.pes)
        team->pes = copy;
    else
        free(copy);
    return true;
}

/** False: no memory. */
static bool find_local(cw_team_t *team)
{
    const cw_map_t *map = &team->sync.map;
    if (!have_room() || !cw_map_build(&team->sync.map, &team->group))
        return false;
    team->local_pes = malloc((size_t)map->nlocal * sizeof(int));
    for (int i = 0; i < map->nlocal && team->local_pes; i++)
        team->local_pes[i] = cw_group_pe(&team->group, map->local[i]);
    return team->local_pes != NULL;
}

/** All but the number; NULL: no memory. */
static cw_team_t *prepare(const cw_group_t *parent, const cw_team_part_t *part)
{
    cw_team_t *team = calloc(1, sizeof *team);
    if (team && find_members(team, parent, part) && find_local(team)) {
        team->num_contexts = part->num_contexts;
        return team;
    }
    drop(team);
    return NULL;
}

static cw_team_t *prepare_list(const int *pes, int size, int rank)
{
    cw_team_t *team = calloc(1, sizeof *team);
    if (team && take_list(team, pes, size, rank) && find_local(team))
        return team;
    drop(team);
    return NULL;
}

static void start(cw_team_t *team, int id, uint64_t from)
{
    const cw_map_t *map = &team->sync.map;
    start_sync(team, team->local_pes, map->mine, map->nlocal, map->nnodes, id, from);
    pthread_mutex_lock(&teams.lock);
    teams.live[id] = team;
    pthread_mutex_unlock(&teams.lock);
}

// ---------------------------------------------------------------- the number

/** Of a PE, and the combination of all. */
typedef struct offer {
    uint64_t free[CW_TEAMS / WORD_BITS];
    uint64_t reached;
    uint64_t state;  // cw_team_state_t
} offer_t;
_Static_assert(sizeof(offer_t) <= CW_COLL_SMALL, "fits on a synchronisation of any team");
_Static_assert(offsetof(offer_t, state) == offsetof(offer_t, reached) + 8,
               "two words that MAX combines");

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static void combine_offers(const cw_fused_op_t *op, void *acc, const void *in)
{
    offer_t *a = acc;
    const offer_t *b = in;
    (void)op;
    for (size_t i = 0; i < sizeof a->free / sizeof *a->free; i++)
        a->free[i] &= b->free[i];
    a->reached = larger(a->reached, b->reached);
    a->state = larger(a->state, b->state);
}

static bool has(const uint64_t *set, int id)
{
    return set[id / WORD_BITS] >> id % WORD_BITS & 1;
}

static void unclaim_one(int id)
{
    teams.taken[id / WORD_BITS] &= ~(UINT64_C(1) << id % WORD_BITS);
}

/** Gives back numbers that all members have left. False: some have not. */
static bool end_left(void)
{
    pthread_mutex_lock(&teams.lock);
    for (cw_team_t **at = &teams.leaving, *team; (team = *at) != NULL;) {
        if (!cw_node_sync_left(&team->sync.node)) {
            at = &team->next;
            continue;
        }
        *at = team->next;
        unclaim_one(team->sync.id);
        drop(team);
    }
    bool all = teams.leaving == NULL;
    pthread_mutex_unlock(&teams.lock);
    return all;
}

/** The others have been released, and need nothing of this PE. */
static void await_left(void)
{
    cw_wait_t w = CW_WAIT_INIT("the end of a team");
    while (!end_left())
        cw_wait_round(&w);
    cw_wait_done(&w);
}

/** A PE that will be no member accepts any number. */
static void make_offer(offer_t *o, bool member, bool refused)
{
    end_left();
    pthread_mutex_lock(&teams.lock);
    for (size_t i = 0; i < sizeof o->free / sizeof *o->free; i++)
        o->free[i] = member ? ~teams.taken[i] : UINT64_MAX;
    o->reached = member ? teams.reached : 0;
    o->state = refused                    ? CW_TEAM_REFUSED
               : cw_world.thread_multiple ? CW_TEAM_THREADS
                                          : CW_TEAM_READY;
    pthread_mutex_unlock(&teams.lock);
}

/** From `first` on, in a circle. False: there are fewer. */
static bool pick(const uint64_t *set, int first, int n, int *ids)
{
    int found = 0;
    for (int i = 0; i < CW_TEAMS && found < n; i++)
        if (has(set, (first + i) % CW_TEAMS))
            ids[found++] = (first + i) % CW_TEAMS;
    return found == n;
}

/** All or none. */
static bool claim(const int *ids, int n)
{
    bool all = true;
    pthread_mutex_lock(&teams.lock);
    for (int i = 0; i < n; i++)
        all = all && !has(teams.taken, ids[i]);
    for (int i = 0; i < n && all; i++)
        teams.taken[ids[i] / WORD_BITS] |= UINT64_C(1) << ids[i] % WORD_BITS;
    pthread_mutex_unlock(&teams.lock);
    return all;
}

static void unclaim(const int *ids, int n)
{
    pthread_mutex_lock(&teams.lock);
    for (int i = 0; i < n; i++)
        unclaim_one(ids[i]);
    pthread_mutex_unlock(&teams.lock);
}

/** How members agree: over the parent, or by `combine`. */
typedef struct agreement {
    const cw_group_t *parent;
    cw_team_combine_fn combine;
    void *arg;
} agreement_t;

static int combine_over(const agreement_t *p, offer_t *offer)
{
    static const cw_fused_op_t op = {combine_offers};
    if (p->combine)
        return p->combine(p->arg, offer->free, CW_TEAMS / WORD_BITS, &offer->reached, 2);
    cw_fused(p->parent, offer, sizeof *offer, &op);
    return CW_OK;
}

/** *all_p: no member found a number claimed by another thread. *from_p: again, since another thread
 *  may have used and freed the numbers between offer and claim. */
static int all_have_claimed(const agreement_t *p, bool mine, bool *all_p, uint64_t *from_p)
{
    pthread_mutex_lock(&teams.lock);
    uint64_t words[] = {!mine, teams.reached};
    pthread_mutex_unlock(&teams.lock);
    int rc = CW_OK;
    if (p->combine)
        rc = p->combine(p->arg, NULL, 0, words, 2);
    else
        cw_fused_and_max(p->parent, NULL, 0, words, 2);
    *all_p = !words[0];
    *from_p = words[1];
    return rc;
}

/** Threads that split at once most likely begin at different numbers. */
static int first_number(const agreement_t *p, int turn, bool threads)
{
    if (!threads)
        return FIRST_ID;
    return ((p->parent ? p->parent->sync->id : 5) * 7 + turn * 13) % CW_ROOMY_TEAMS;
}

/** ids[n]: free on all members, and taken now. */
static int agree(const agreement_t *p, bool member, bool refused, int n, int *ids, uint64_t *from_p)
{
    bool waited = false;
    for (int turn = 0; turn < CLAIMS; turn++) {
        offer_t offer;
        make_offer(&offer, member, refused);
        int rc = combine_over(p, &offer);
        if (rc || offer.state == CW_TEAM_REFUSED)
            return rc ? rc : CW_EINVAL;
        const bool threads = offer.state == CW_TEAM_THREADS;  // of any member
        if (!pick(offer.free, first_number(p, turn, threads), n, ids)) {
            if (waited)
                return CW_ENOMEM;
            waited = true;
            await_left();
            continue;
        }
        bool claimed = !member || claim(ids, n), all = true;
        *from_p = offer.reached;
        if (threads)
            rc = all_have_claimed(p, claimed, &all, from_p);
        if (rc == CW_OK && all)
            return CW_OK;
        if (member && claimed)
            unclaim(ids, n);
        if (rc)
            return rc;
    }
    return CW_ENOMEM;
}

// ---------------------------------------------------------------- interface

int cw_team_split(const cw_group_t *parent, const cw_team_part_t *parts, int nparts, bool refused,
                  const cw_group_t **teams_p)
{
    cw_team_t *teams[CW_TEAM_PARTS] = {NULL};
    int ids[CW_TEAM_PARTS];
    bool member = false;
    uint64_t from = 0;
    for (int i = 0; i < nparts; i++) {
        if (rank_in_part(&parts[i], parent->rank) < 0)
            continue;
        member = true;
        teams[i] = prepare(parent, &parts[i]);
        refused = refused || !teams[i];
    }
    const agreement_t how = {.parent = parent};
    int rc = agree(&how, member, refused, nparts, ids, &from);
    for (int i = 0; i < nparts; i++) {
        if (rc != CW_OK)
            drop(teams[i]);
        else if (teams[i])
            start(teams[i], ids[i], from);
        teams_p[i] = rc == CW_OK && teams[i] ? &teams[i]->group : NULL;
    }
    return rc;
}

int cw_team_from_list(const int *pes, int size, int rank, bool refused, cw_team_combine_fn combine,
                      void *arg, const cw_group_t **team_p)
{
    const agreement_t how = {.combine = combine, .arg = arg};
    cw_team_t *team = refused ? NULL : prepare_list(pes, size, rank);
    uint64_t from = 0;
    int id, rc = agree(&how, true, !team, 1, &id, &from);
    if (rc == CW_OK)
        start(team, id, from);
    else
        drop(team);
    *team_p = rc == CW_OK ? &team->group : NULL;
    return rc;
}

void cw_team_destroy(const cw_group_t *group)
{
    cw_team_t *team = (cw_team_t *)(uintptr_t)group;
    cw_group_sync_t *sync = &team->sync;
    if (team->abandoned)
        return;
    cw_node_sync_part(&sync->node);
    cw_sync(group);
    cw_node_sync_leave(&sync->node);
    pthread_mutex_lock(&teams.lock);
    teams.reached = larger(teams.reached, larger(sync->leaders.sequence, (uint64_t)sync->reached));
    teams.live[sync->id] = NULL;
    team->next = teams.leaving;
    teams.leaving = team;
    pthread_mutex_unlock(&teams.lock);
    end_left();
}

void cw_team_abandon(const cw_group_t *group)
{
    ((cw_team_t *)(uintptr_t)group)->abandoned = true;
}

bool cw_team_is_live(const cw_group_t *group)
{
    bool found = group == cw_group_world || group == cw_group_shared;
    pthread_mutex_lock(&teams.lock);
    for (int id = FIRST_ID; teams.live && id < CW_TEAMS && !found; id++)
        found = teams.live[id] && &teams.live[id]->group == group;
    pthread_mutex_unlock(&teams.lock);
    return found;
}

int cw_team_num_contexts(const cw_group_t *group)
{
    if (group == cw_group_world || group == cw_group_shared)
        return INT_MAX;
    return ((const cw_team_t *)group)->num_contexts;
}

static void report_leaks(void)
{
    for (int id = FIRST_ID; teams.live && id < CW_TEAMS; id++) {
        if (!teams.live[id] || teams.live[id]->abandoned)
            continue;
        const cw_group_t *g = &teams.live[id]->group;
        cw_check_leak(
            "team",
            "%d PEs from PE %d on by %d, of which this is number %d; all members must destroy it",
            g->size, cw_group_pe(g, 0), g->stride, g->rank);
    }
}

void cw_teams_init(void)
{
    shared = (cw_team_t){.group.rank = cw_world.slot};
    set_members(&shared.group, cw_world.pes_of_node, cw_world.nslots);
    start_sync(&shared, cw_world.pes_of_node, cw_world.slot, cw_world.nslots, 1, SHARED_ID, 0);
    memset(teams.taken, 0, sizeof teams.taken);
    teams.taken[0] = 1u << WORLD_ID | 1u << SHARED_ID;
    teams.reached = 0;
    cw_check_at_end(report_leaks);
}

void cw_teams_fini(void)
{
    for (int id = FIRST_ID; teams.live && id < CW_TEAMS; id++)
        drop(teams.live[id]);
    free(teams.live);
    teams.live = NULL;
    for (cw_team_t *next; teams.leaving; teams.leaving = next) {
        next = teams.leaving->next;
        drop(teams.leaving);
    }
    cw_map_drop(&shared.sync.map);
}
