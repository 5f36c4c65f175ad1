// SPDX-License-Identifier: BSD-3-Clause
//
// Images that have stopped or failed, or were killed, while the others go on.
#include "caf/gone.h"

#include <stdlib.h>
#include <string.h>

#include "base/env.h"
#include "base/error.h"
#include "caf/transfer.h"
#include "core/world/deaths.h"

/** In each image's own memory, written by it alone. */
typedef struct state {
    uint64_t code;  // caf_code_t: of its end
    // The gate that it has entered last: how deep its current team is nested, the kind of gate, of
    // a new team which FORM TEAM of the current one it was, and which gate of its team.
    uint64_t gate;
} state_t;
enum { DEPTH_AT = 56, KIND_AT = 48, SERIAL_AT = 24 };

static uint64_t bits(uint64_t word, int at, int end)
{
    return word >> at & ((UINT64_C(1) << (end - at)) - 1);
}

bool caf_survives;
static bool *known;  // [npes] the program knows that the image at a PE has failed; NULL: of none

static state_t *mine(void)
{
    return caf_own(CAF_OWN_STATE);
}

static uint64_t depth_of(const caf_team_t *team)
{
    uint64_t depth = 0;
    for (const caf_team_t *t = team; t->parent; t = t->parent)
        depth++;
    return depth;
}

static bool continues(void)
{
    return strcmp(cwu_env.failed_images, "continue") == 0;
}

void caf_gone_open(void)
{
    caf_survives = caf.door->survives() || continues();
}

/** Only now: of an image that is killed before all have started the others cannot go on without. */
void caf_gone_started(void)
{
    if (!caf_survives || strcmp(cwu_env.failed_images, "end") == 0)
        return;
    if (!cw_outlive() && continues() && cw_world.pe == 0)
        cwu_warn("CAUSEWAY_FAILED_IMAGES=continue: this launcher (%s) ends the job when a process "
                 "is killed; only oshrun can go on",
                 cw_boot.ops->name);
}

void caf_gone_close(void)
{
    caf_survives = false;
    free(known);
    known = NULL;
}

void caf_tell_stop(void)
{
    caf_tell_entries();
    // pairs with the gets of images that wait
    __atomic_store_n(&mine()->code, CAF_STOPPED, __ATOMIC_RELEASE);
}

caf_code_t caf_image_state(int pe)
{
    uint64_t code;
    if (cw_killed_by(pe))
        return CAF_FAILED;
    caf_get(&code, &mine()->code, sizeof code, pe);
    return (caf_code_t)code;
}

// ---------------------------------------------------------------- what the program knows
bool caf_has_news(const caf_team_t *team)
{
    bool news = false;
    for (int rank = 0; !news && caf_is_hit(team) && rank < team->group->size; rank++) {
        const int pe = cw_group_pe(team->group, rank);
        news = cw_killed_by(pe) && !(known && known[pe]);
    }
    return news;
}

void caf_tell_end(int pe, caf_code_t code)
{
    if (code != CAF_FAILED)
        return;
    if (!known && !(known = calloc((size_t)cw_world.npes, sizeof *known)))
        cwu_fatal("out of memory for the ends of %d images", cw_world.npes);
    known[pe] = true;
}

void caf_tell_deaths(void)
{
    for (int rank = 0; rank < caf.group->size; rank++)
        if (cw_killed_by(cw_group_pe(caf.group, rank)))
            caf_tell_end(cw_group_pe(caf.group, rank), CAF_FAILED);
}

// ---------------------------------------------------------------- gates
bool caf_report_gone(const caf_status_t *status, const char *statement, const caf_team_t *team,
                     caf_passage_t passage)
{
    char killed[200];
    if (caf_is_whole(passage))
        return false;
    caf_fail(status, passage.stopped ? CAF_STOPPED : CAF_FAILED, statement,
             "%llu images of the team have stopped, and %llu have failed%s",
             (unsigned long long)passage.stopped, (unsigned long long)passage.failed,
             caf_describe_killed(team->group, killed, sizeof killed));
    return true;
}

caf_passage_t caf_enter_gate(const char *statement, const char *claim, caf_gate_kind_t kind,
                             caf_team_t *team, unsigned intent)
{
    const uint64_t entered = depth_of(caf.team) << DEPTH_AT | (uint64_t)kind << KIND_AT |
                             bits(team->serial, 0, SERIAL_AT) << SERIAL_AT |
                             bits(team->gates + 1, 0, SERIAL_AT);
    // pairs with the gets of images that are gone
    __atomic_store_n(&mine()->gate, entered, __ATOMIC_RELEASE);
    return caf_gate(team, statement, claim, CAF_OK, intent);
}

bool caf_pass_gate(const caf_status_t *status, const char *statement, const char *claim,
                   caf_gate_kind_t kind, const caf_team_t *team)
{
    caf_team_t *passed = (caf_team_t *)(uintptr_t)team;
    const caf_passage_t passage = caf_enter_gate(statement, claim, kind, passed, CAF_COMES);
    return !caf_report_gone(status, statement, team, passage);
}

bool caf_act_or_report(const caf_status_t *status, const char *statement, void (*act)(void *arg),
                       void *arg)
{
    if (!caf_survives)
        return !caf_report_gone(status, statement, caf.team,
                                caf_act_together(status, statement, caf.team, act, arg));
    if (!caf_do(caf.team, act, arg))
        return !caf_report_gone(status, statement, caf.team, (caf_passage_t){.failed = 1});
    return true;
}

// ---------------------------------------------------------------- of programs that did not ask
caf_passage_t caf_act_together(const caf_status_t *status, const char *statement, caf_team_t *team,
                               void (*act)(void *arg), void *arg)
{
    caf_passage_t passage = {0};
    if (!caf_looks(status, team)) {
        team->gates++;
        act(arg);
        return passage;
    }
    passage = caf_act_or_miss(team, statement, act, arg);
    if (team->hit) {  // fast paths do not ask that
        caf.plain = false;
        caf.images = 0;
    }
    return passage;
}

/** Of a team, and what all its images call so. */
typedef struct synchronisation {
    const cw_group_t *group;
    const char *claim;
} synchronisation_t;

static void synchronise(void *arg)
{
    const synchronisation_t *s = arg;
    caf_agree(s->group, s->claim);
    cw_sync(s->group);
}

bool caf_meet(const caf_status_t *status, const char *statement, const char *claim,
              caf_gate_kind_t kind, caf_team_t *team)
{
    synchronisation_t s = {team->group, claim};
    if (caf_survives)
        return caf_pass_gate(status, statement, claim, kind, team);
    return !caf_report_gone(status, statement, team,
                            caf_act_together(status, statement, team, synchronise, &s));
}

// ---------------------------------------------------------------- an image that is gone
/** The team that a member of the current one changes to, if this image belongs to it. */
static caf_team_t *find_new_team(uint64_t serial, int pe)
{
    caf_team_t *team = caf_formed_teams();
    while (team && (team->parent != caf.team || bits(team->serial, 0, SERIAL_AT) != serial))
        team = team->formed;
    return team && cw_group_rank_of(team->group, pe) >= 0 ? team : NULL;
}

/** The image that has entered the gate is no more in the current team, which is hit, so it did not
 *  wait for this one. */
static bool has_left(uint64_t gate)
{
    const uint64_t depth = bits(gate, DEPTH_AT, 64), mine_is = depth_of(caf.team),
                   kind = bits(gate, KIND_AT, DEPTH_AT);
    if (depth == mine_is)
        return kind == CAF_GATE_END_TEAM;
    const bool came = kind == CAF_GATE_CHANGE_TEAM && depth + 1 == mine_is &&
                      bits(gate, SERIAL_AT, KIND_AT) == bits(caf.team->serial, 0, SERIAL_AT);
    return depth < mine_is && !came;
}

static uint64_t gate_of(int pe)
{
    uint64_t gate;
    caf_get(&gate, &mine()->gate, sizeof gate, pe);
    return gate;
}

/** Is that the next gate of the team, entered from the current one? */
static bool is_next(uint64_t gate, const caf_team_t *team)
{
    return bits(gate, DEPTH_AT, 64) == depth_of(caf.team) &&
           bits(gate, 0, SERIAL_AT) == bits(team->gates + 1, 0, SERIAL_AT);
}

/** Takes part where the image at that PE changes to a team that has this one, too, and is not hit:
 *  then it waits for this one. */
static bool follow_to_team(int pe, caf_code_t code)
{
    const uint64_t gate = gate_of(pe);
    if (bits(gate, KIND_AT, DEPTH_AT) != CAF_GATE_CHANGE_TEAM)
        return false;
    caf_team_t *team = find_new_team(bits(gate, SERIAL_AT, KIND_AT), pe);
    if (!team || caf_is_hit(team) || !is_next(gate, team))
        return false;
    caf_gate(team, "fail image", NULL, code, CAF_COMES);
    caf_enter_team(team);
    return true;
}

/** The same of any image of the current team; of those of other nodes, which take a get, of one. */
static bool follow_one_to_team(caf_code_t code)
{
    static unsigned turn;
    const unsigned size = (unsigned)caf.group->size, far = turn++ % size;
    for (unsigned rank = 0; rank < size; rank++) {
        const int pe = cw_group_pe(caf.group, (int)rank);
        const bool is_here = cw_world.node_of_pe[pe] == cw_world.node && pe != cw_world.pe;
        if ((is_here || rank == far) && follow_to_team(pe, code))
            return true;
    }
    return false;
}

/** That image needs this one no more before the next gate of the current team. */
static bool has_come(int pe)
{
    const uint64_t gate = gate_of(pe);
    return caf_image_state(pe) != CAF_OK ||
           (is_next(gate, caf.team) && bits(gate, KIND_AT, DEPTH_AT) != CAF_GATE_CHANGE_TEAM);
}

/** All images of the current team that are active have entered its next gate, which none leaves
 *  before this one takes part. Until then one may wait for this one elsewhere, where it would not
 *  come. */
static bool have_come(void)
{
    static const caf_team_t *of;
    static uint64_t gates;
    static int come;  // ranks below have, and are asked no more
    if (of != caf.team || gates != caf.team->gates)
        come = 0;
    of = caf.team;
    gates = of->gates;
    while (come < caf.group->size && has_come(cw_group_pe(caf.group, come)))
        come++;
    return come == caf.group->size;
}

/** Takes part in what the image at that PE has entered, if all wait for this one; goes where it is,
 *  in a team that is hit. */
static bool follow(int pe, caf_code_t code)
{
    const uint64_t gate = gate_of(pe), kind = bits(gate, KIND_AT, DEPTH_AT);
    caf_team_t *team = caf.team;
    if (team->parent && caf_is_hit(team) && has_left(gate)) {
        caf_enter_team(team->parent);
        return true;
    }
    if (kind == CAF_GATE_CHANGE_TEAM && bits(gate, DEPTH_AT, 64) == depth_of(team)) {
        caf_team_t *to = find_new_team(bits(gate, SERIAL_AT, KIND_AT), pe);
        if (!to || !caf_is_hit(to))
            return false;
        caf_enter_team(to);
        return true;
    }
    if (caf_is_hit(team) || !is_next(gate, team) || !have_come())
        return false;
    caf_gate(team, "fail image", NULL, code, CAF_COMES);
    caf_enter_team(kind == CAF_GATE_END_TEAM ? team->parent : team);
    return true;
}

/** The first PE of the current team that is active, from that rank on; -1: none is. */
static int find_active(int *rank_p)
{
    while (*rank_p < caf.group->size) {
        const int pe = cw_group_pe(caf.group, *rank_p);
        if (caf_image_state(pe) == CAF_OK)
            return pe;
        ++*rank_p;
    }
    return -1;
}

void caf_go(caf_code_t code)
{
    cw_wait_t w = CW_WAIT_INIT(code == CAF_FAILED ? "fail image" : "stop");
    int rank = 0;
    caf_complete();
    __atomic_store_n(&mine()->code, code, __ATOMIC_RELEASE);
    for (;;) {
        const caf_team_t *team = caf.team;
        const int pe = find_active(&rank);
        if (pe < 0 && !team->parent)
            break;
        if (pe < 0)
            caf_enter_team(team->parent);  // all of the team are gone
        else if (!follow_one_to_team(code) && !follow(pe, code))
            cw_wait_round(&w);
        if (caf.team != team)
            rank = 0;
    }
    cw_wait_done(&w);
}
