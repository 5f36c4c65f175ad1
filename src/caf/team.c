// SPDX-License-Identifier: BSD-3-Clause
//
// Teams. FORM TEAM has two collectives of the current team: the images tell each other their
// numbers, so that each knows the members of its own team, and then all new teams are made
// together (core/sync/team.h). No statement ends a team, and core has a bounded number, so a team
// whose members are those of an earlier one is that one again.
#include "core/sync/team.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "caf/gone.h"
#include "core/sync/fused.h"

static caf_team_t *formed;  // the last one first

/** cw_team_combine_fn over the parent: the members of all new teams take the same turns. */
static int combine(void *parent, uint64_t *and_words, int nand, uint64_t *max_words, int nmax)
{
    cw_fused_and_max(parent, and_words, nand, max_words, nmax);
    return CW_OK;
}

/** The members of a new team, by their place in it. */
typedef struct members {
    int *pes;
    int n, rank;
} members_t;

/** Those with new_index are at that place, the others fill the rest in the parent's order. */
static bool place(const cw_group_t *parent, uint64_t number, const uint64_t *numbers,
                  const uint64_t *places, members_t *m)
{
    m->n = 0;
    for (int i = 0; i < parent->size; i++)
        m->n += numbers[i] == number;
    for (int i = 0; i < m->n; i++)
        m->pes[i] = -1;
    for (int i = 0; i < parent->size; i++) {
        if (numbers[i] != number || places[i] == 0)
            continue;
        if (places[i] > (uint64_t)m->n || m->pes[places[i] - 1] >= 0)
            return false;
        m->pes[places[i] - 1] = cw_group_pe(parent, i);
    }
    for (int i = 0, at = 0; i < parent->size; i++) {
        if (numbers[i] != number || places[i] != 0)
            continue;
        while (m->pes[at] >= 0)
            at++;
        m->pes[at] = cw_group_pe(parent, i);
    }
    for (int i = 0; i < m->n; i++)
        if (m->pes[i] == cw_world.pe)
            m->rank = i;
    return true;
}

/** The group of an earlier team with the same members in the same order, or NULL. */
static const cw_group_t *find_group(const members_t *m)
{
    for (const caf_team_t *t = formed; t; t = t->formed) {
        int i = 0;
        while (t->group->size == m->n && i < m->n && cw_group_pe(t->group, i) == m->pes[i])
            i++;
        if (i == m->n)
            return t->group;
    }
    return NULL;
}

static const cw_group_t *make_group(const members_t *m, bool refused)
{
    const cw_group_t *group = find_group(m);
    if (cw_fused_all(caf.group, group && !refused))
        return group;
    int rc = cw_team_from_list(m->pes, m->n, m->rank, refused, combine,
                               (void *)(uintptr_t)caf.group, &group);
    return rc ? NULL : group;
}

static caf_team_t *add(const cw_group_t *group, int64_t number, uint64_t *siblings)
{
    caf_team_t *team = calloc(1, sizeof *team);
    if (!team)
        cwu_fatal("out of memory for a team");
    *team = (caf_team_t){.group = group,
                         .parent = caf.team,
                         .number = number,
                         .formed = formed,
                         .serial = ++caf.team->forms,
                         .siblings = siblings};
    formed = team;
    return team;
}

caf_team_t *caf_form_team(const caf_status_t *status, int64_t number, int new_index)
{
    caf_complete();
    if (!caf_enter(status, "form team"))
        return NULL;
    const size_t n = (size_t)caf.group->size;
    uint64_t *numbers = malloc(2 * n * sizeof *numbers), *places = numbers + n;
    members_t m = {.pes = malloc(n * sizeof *m.pes)};
    if (!numbers || !m.pes)
        cwu_fatal("out of memory for the members of a team");
    caf_exchange(caf.group, (uint64_t)number, numbers);
    caf_exchange(caf.group, (uint64_t)(uint32_t)new_index, places);
    bool placed = place(caf.group, (uint64_t)number, numbers, places, &m);
    const cw_group_t *group = make_group(&m, !placed);
    free(m.pes);
    if (!group || !caf.door->keeps_siblings) {
        free(numbers);
        numbers = NULL;
    }
    if (!group) {
        caf_fail(status, CAF_ERROR, "form team",
                 placed ? "there is no team left (an image is in at most %d)"
                        : "two images want the same place of %d, or one that is none",
                 placed ? CW_TEAMS - 2 : (int)n);
        return NULL;
    }
    caf_succeed(status);
    return add(group, number, numbers);
}

int caf_find_sibling(int64_t number, int **pes_p)
{
    const caf_team_t *team = caf.team;
    if (!team->siblings)
        return 0;
    const cw_group_t *parent = team->parent->group;
    const size_t n = (size_t)parent->size;
    members_t m = {.pes = malloc(n * sizeof *m.pes)};
    if (!m.pes)
        cwu_fatal("out of memory for the members of a team");
    place(parent, (uint64_t)number, team->siblings, team->siblings + n, &m);
    *pes_p = m.pes;
    return m.n;
}

bool caf_is_team(const caf_team_t *team)
{
    const caf_team_t *t = formed;
    while (t && t != team)
        t = t->formed;
    return t || team == &caf.initial;
}

void caf_change_team(const caf_status_t *status, caf_team_t *team)
{
    if (team->parent != caf.team && team != caf.team) {
        caf_fail(status, CAF_ERROR, "change team", "the team was not formed by the current team");
        return;
    }
    caf_complete();
    bool whole = true;
    if (caf_survives)
        whole = caf_pass_gate(status, "change team", CAF_GATE_CHANGE_TEAM, team);
    else
        cw_sync(team->group);
    caf.team = team;
    caf.group = team->group;
    if (whole)
        caf_succeed(status);
}

void caf_end_team(const caf_status_t *status)
{
    caf_team_t *team = caf.team;
    if (!team->parent) {
        caf_fail(status, CAF_ERROR, "end team", "the initial team is the current one");
        return;
    }
    caf_complete();
    bool whole = true;
    if (caf_survives)
        whole = caf_pass_gate(status, "end team", CAF_GATE_END_TEAM, team);
    else
        cw_sync(team->group);
    for (const caf_coarray_t *c = team->coarrays; c; c = c->next)
        caf.door->released(c);
    caf_release_all(team);
    caf.team = team->parent;
    caf.group = caf.team->group;
    if (whole)
        caf_succeed(status);
}

void caf_sync_team(const caf_status_t *status, caf_team_t *team)
{
    if (team == caf.team) {
        caf_sync_all(status);
        return;
    }
    caf_complete();
    cw_sync(team->group);
    caf_succeed(status);
}

caf_team_t *caf_formed_teams(void)
{
    return formed;
}

/** Has a team that was formed before the same group? */
static bool is_shared(const caf_team_t *team)
{
    const caf_team_t *t = team->formed;
    while (t && t->group != team->group)
        t = t->formed;
    return t != NULL;
}

void caf_teams_close(void)
{
    // no statement destroys a team, so nothing has leaked; all images form theirs in one order
    for (const caf_team_t *t = formed; CW_CHECKING() && t; t = t->formed)
        if (!is_shared(t))
            cw_team_destroy(t->group);
    while (formed) {
        caf_team_t *team = formed;
        formed = team->formed;
        caf_release_all(team);
        free(team->siblings);
        free(team);
    }
}
