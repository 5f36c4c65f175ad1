// SPDX-License-Identifier: BSD-3-Clause
//
// Teams. FORM TEAM has two collectives of the current team: the images tell each other their
// numbers, so that each knows the members of its own team, and then all new teams are made
// together (core/sync/team.h). Where images are gone, those that are there do the same by gates
// (gate.h). No statement ends a team, and core has a bounded number, so a team
// whose members are those of an earlier one is that one again.
#include "core/sync/team.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "caf/gone.h"
#include "caf/transfer.h"
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

// ---------------------------------------------------------------- how the parent's images agree
/** A FORM TEAM of this image. */
typedef struct forming {
    int64_t number;
    int new_index;  // 0: any; -1: none of a team
    uint64_t *numbers, *places;  // [images of the parent]
    uint64_t tag;                // of the new team (gate.h)
    members_t members;
    bool placed;
    const cw_group_t *group;  // NULL: none could be made
} forming_t;

static uint64_t next_tag = 1;  // larger than those of all teams of this image

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static void make_group(forming_t *f)
{
    const cw_group_t *group = find_group(&f->members);
    if (cw_fused_all(caf.group, group && f->placed)) {
        f->group = group;
        return;
    }
    int rc = cw_team_from_list(f->members.pes, f->members.n, f->members.rank, !f->placed, combine,
                               (void *)(uintptr_t)caf.group, &group);
    f->group = rc ? NULL : group;
}

/** With all images of the current team. */
static void form(void *arg)
{
    forming_t *f = arg;
    const size_t n = (size_t)caf.group->size;
    caf_agree(caf.group, "form team");
    caf_exchange(caf.group, next_tag, f->places);
    for (size_t i = 0; i < n; i++)
        f->tag = larger(f->tag, f->places[i]);
    caf_exchange(caf.group, (uint64_t)f->number, f->numbers);
    caf_exchange(caf.group, (uint64_t)(uint32_t)f->new_index, f->places);
    f->placed = place(caf.group, (uint64_t)f->number, f->numbers, f->places, &f->members);
    make_group(f);
}

// ---------------------------------------------------------------- without images that are gone
typedef struct gathered {
    uint64_t *words;  // [images][of each]
    bool *present;
} gathered_t;

static caf_passage_t gather(const uint64_t *mine, int n, gathered_t *g)
{
    const size_t size = (size_t)caf.group->size;
    *g = (gathered_t){malloc(size * (size_t)n * sizeof *mine), malloc(size)};
    if (!g->words || !g->present)
        cwu_fatal("out of memory for the words of %zu images", size);
    return caf_gather(caf.team, "form team", mine, n, g->words, g->present);
}

static void drop(gathered_t *g)
{
    free(g->words);
    free(g->present);
}

/** combine() over the images of the current team that are there. */
static int combine_present(void *arg, uint64_t *and_words, int nand, uint64_t *max_words, int nmax)
{
    uint64_t mine[CAF_GATE_WORDS];
    const int n = nand + nmax;
    gathered_t g;
    (void)arg;
    memcpy(mine, and_words, (size_t)nand * sizeof *mine);
    memcpy(mine + nand, max_words, (size_t)nmax * sizeof *mine);
    gather(mine, n, &g);
    for (int rank = 0; rank < caf.group->size; rank++) {
        const uint64_t *theirs = g.words + (size_t)rank * (size_t)n;
        for (int i = 0; g.present[rank] && i < nand; i++)
            and_words[i] &= theirs[i];
        for (int i = 0; g.present[rank] && i < nmax; i++)
            max_words[i] = larger(max_words[i], theirs[nand + i]);
    }
    drop(&g);
    return CW_OK;
}

static void form_without(forming_t *f)
{
    const uint64_t mine[] = {next_tag, (uint64_t)f->number, (uint64_t)(uint32_t)f->new_index};
    uint64_t missing;
    gathered_t g;
    f->tag = 0;
    f->group = NULL;
    gather(mine, 3, &g);
    for (int i = 0; i < caf.group->size; i++) {
        const uint64_t *theirs = g.words + (size_t)i * 3;
        f->tag = g.present[i] ? larger(f->tag, theirs[0]) : f->tag;
        f->numbers[i] = g.present[i] ? theirs[1] : (uint64_t)INT64_MIN;  // of no team
        f->places[i] = g.present[i] ? theirs[2] : 0;
    }
    drop(&g);
    f->placed = place(caf.group, (uint64_t)f->number, f->numbers, f->places, &f->members);
    const cw_group_t *group = find_group(&f->members);
    missing = !group || !f->placed;
    combine_present(NULL, NULL, 0, &missing, 1);
    if (missing && cw_team_from_list(f->members.pes, f->members.n, f->members.rank, !f->placed,
                                     combine_present, NULL, &group))
        return;
    f->group = group;
}

// ---------------------------------------------------------------- FORM TEAM
/** The team that an earlier FORM TEAM of the current one has given this image, and the same others
 *  to its other images; NULL: none. The same on all members, so loops that form a team make one. */
static caf_team_t *find_same(const forming_t *f, const uint64_t *siblings)
{
    const size_t nbytes = 2 * (size_t)caf.group->size * sizeof *siblings;
    caf_team_t *t = formed;
    while (t && (t->parent != caf.team || t->group != f->group || t->number != f->number ||
                 (siblings && memcmp(t->siblings, siblings, nbytes) != 0)))
        t = t->formed;
    return t;
}

/** No image enters gates of a team and of one around it in one place. All members of the new team
 *  have the same teams around it. */
static uint64_t tag_beside_ancestors(uint64_t tag)
{
    for (const caf_team_t *t = caf.team; t; t = t->parent)
        if ((t->tag ^ tag) % CAF_GATE_PLACES == 0)
            return tag_beside_ancestors(tag + 1);
    return tag;
}

static caf_team_t *add(const forming_t *f, uint64_t *siblings)
{
    caf_team_t *team = calloc(1, sizeof *team);
    if (!team)
        cwu_fatal("out of memory for a team");
    *team = (caf_team_t){.group = f->group,
                         .parent = caf.team,
                         .number = f->number,
                         .formed = formed,
                         .serial = caf.team->forms,
                         .tag = tag_beside_ancestors(f->tag),
                         .siblings = siblings};
    next_tag = team->tag + 1;
    formed = team;
    return team;
}

/** All images of the current team agree, or those that are there: then what is missing. */
static caf_passage_t agree(const caf_status_t *status, forming_t *f)
{
    caf_passage_t passage;
    if (!caf_survives) {
        passage = caf_act_together(status, "form team", caf.team, form, f);
        if (caf_is_whole(passage))
            return passage;
        form_without(f);
        return passage;
    }
    passage = caf_enter_gate("form team", "form team", CAF_GATE_STATEMENT, caf.team, CAF_FORMS);
    if (caf_is_whole(passage)) {
        if (caf_do_together(caf.team, "form team", form, f))
            return passage;
        passage.failed = 1;
    } else {
        // images that have learnt of a death in different statements meet here
        for (caf_passage_t again = passage; again.elsewhere;)
            again = caf_gate(caf.team, "form team", "form team", CAF_OK, CAF_FORMS);
    }
    form_without(f);
    return passage;
}

/** There is no new team. All images fail alike, also those whose own one had been possible. */
static void report_none(const caf_status_t *status, const forming_t *f)
{
    members_t others = {.pes = f->members.pes};
    bool placed = true;
    for (int i = 0; placed && i < caf.group->size; i++)
        placed = place(caf.group, f->numbers[i], f->numbers, f->places, &others);
    if (placed)
        caf_fail(status, CAF_ERROR, "form team",
                 "there is no team left (an image is in at most %d)", CW_TEAMS - 2);
    else
        caf_fail(status, CAF_ERROR, "form team",
                 "two images%s want the same place of %d, or one that is none",
                 f->placed ? " of another new team" : "", caf.group->size);
}

/** No team has that number. */
static caf_team_t *refuse(const caf_status_t *status, int64_t number)
{
    caf_fail(status, CAF_ERROR, "form team", "the team number %lld is not positive",
             (long long)number);
    return NULL;
}

caf_team_t *caf_form_team(const caf_status_t *status, int64_t number, const int *new_index)
{
    if (number < 1 && !status->stat)
        return refuse(status, number);
    const size_t n = (size_t)caf.group->size;
    uint64_t *numbers = malloc(2 * n * sizeof *numbers);
    forming_t f = {.number = number,
                   .new_index = !new_index       ? 0
                                : *new_index > 0 ? *new_index
                                                 : -1,
                   .numbers = numbers,
                   .places = numbers + n,
                   .members.pes = malloc(n * sizeof *f.members.pes)};
    if (!numbers || !f.members.pes)
        cwu_fatal("out of memory for the members of a team");
    caf_complete();
    const caf_passage_t passage = agree(status, &f);
    caf.team->forms++;
    if (!f.group)
        report_none(status, &f);
    free(f.members.pes);
    if (!f.group || !caf.door->keeps_siblings) {
        free(numbers);
        numbers = NULL;
    }
    if (!f.group)
        return NULL;
    if (number < 1) {  // it has taken part, since the others are in the collective
        free(numbers);
        return refuse(status, number);
    }
    if (!caf_report_gone(status, "form team", caf.team, passage))
        caf_succeed(status);
    caf_team_t *same = find_same(&f, numbers);
    if (!same)
        return add(&f, numbers);
    free(numbers);
    return same;
}

int caf_find_sibling(int64_t number, int **pes_p)
{
    const caf_team_t *team = caf.team;
    if (!team->siblings || number < 1)
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

void caf_enter_team(caf_team_t *team)
{
    caf.team = team;
    caf.group = team->group;
    caf.images = caf.plain && team == &caf.initial ? (unsigned)team->group->size : 0;
}

caf_team_t *caf_want_team(const caf_status_t *status, const char *statement, void *team)
{
    caf_team_t *t = team == &caf.initial ? team : formed;
    while (t && t != team)
        t = t->formed;
    if (!t)
        caf_fail(status, CAF_ERROR, statement, "the team was not formed");
    return t;
}

caf_team_t *caf_team_of(const char *statement, void *team)
{
    static const caf_status_t none;
    return caf_want_team(&none, statement, team);
}

void caf_change_team(const caf_status_t *status, caf_team_t *team)
{
    if (team->parent != caf.team && team != caf.team) {
        caf_fail(status, CAF_ERROR, "change team", "the team was not formed by the current team");
        return;
    }
    caf_complete();
    const bool again = team == caf.team;
    const bool whole = caf_meet(status, "change team", "change team",
                                again ? CAF_GATE_STATEMENT : CAF_GATE_CHANGE_TEAM, team);
    team->again += again;
    caf_enter_team(team);
    if (whole)
        caf_succeed(status);
}

void caf_end_team(const caf_status_t *status)
{
    caf_team_t *team = caf.team;
    const bool again = team->again > 0;
    if (!team->parent && !again) {
        caf_fail(status, CAF_ERROR, "end team", "the initial team is the current one");
        return;
    }
    caf_complete();
    const bool whole = caf_meet(status, "end team", "end team",
                                again ? CAF_GATE_STATEMENT : CAF_GATE_END_TEAM, team);
    for (const caf_coarray_t *c = team->coarrays; c && c->again >= team->again; c = c->next)
        caf.door->released(c);
    caf_release_all(team);
    team->again -= again;
    caf_enter_team(again ? team : team->parent);
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
    bool whole;
    if (caf_survives)  // images that are gone follow in their current team
        whole = !caf_report_gone(status, "sync team", team,
                                 caf_gate(team, "sync team", CAF_SYNC_TEAM, CAF_OK, CAF_COMES));
    else
        whole = caf_meet(status, "sync team", CAF_SYNC_TEAM, CAF_GATE_STATEMENT, team);
    if (whole)
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

void caf_teams_close(bool whole)
{
    // no statement destroys a team, so nothing has leaked; all images form theirs in one order
    for (const caf_team_t *t = formed; CW_CHECKING() && whole && t; t = t->formed) {
        if (!caf_is_level(t))
            cw_team_abandon(t->group);
        if (!is_shared(t))
            cw_team_destroy(t->group);
    }
    while (formed) {
        caf_team_t *team = formed;
        formed = team->formed;
        team->again = 0;
        caf_release_all(team);
        free(team->siblings);
        free(team);
    }
}
