// SPDX-License-Identifier: BSD-3-Clause
//
// Gates (gate.h). The word of a team, in a table in the image's own memory:
//
//     tag of the team << 32 | number of the gate << 4 | intent in the one before << 2 | intent
//
// An image leaves a gate when all have entered it, so a word is at most one gate ahead of what
// another image looks for, and both intents are in it. The tags of an image's teams grow, and a
// word with a larger tag says that its image has left the team, and with it all gates of it.
#include "caf/gate.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "caf/gone.h"
#include "caf/transfer.h"
#include "core/progress/abandon.h"
#include "core/sync/fused.h"
#include "core/world/deaths.h"

#define LAST_TAG UINT64_C(0xffffffff)  // of the gate at the end of the program
enum { INTENT_MASK = 3, BEFORE_AT = 2, NUMBER_AT = 4, TAG_AT = 32 };

typedef struct table {
    uint64_t entered[CAF_GATE_PLACES];
    uint64_t words[CAF_GATE_WORDS];  // that caf_gather brings
} table_t;

static table_t *table(void)
{
    return caf_own(CAF_OWN_GATES);
}

// ---------------------------------------------------------------- deaths
/** Was a member killed? Looks if there are new deaths in the job. */
static void look(caf_team_t *team)
{
    const uint32_t deaths = cw_deaths();
    if (deaths == team->deaths)
        return;
    for (int rank = 0; !team->hit && rank < team->group->size; rank++)
        team->hit = cw_killed_by(cw_group_pe(team->group, rank)) != 0;
    team->deaths = deaths;
}

bool caf_is_hit(const caf_team_t *team)
{
    look((caf_team_t *)(uintptr_t)team);
    return team->hit;
}

const char *caf_describe_killed(const cw_group_t *group, char *text, size_t nbytes)
{
    char host[64] = "?";
    text[0] = '\0';
    for (int rank = 0; cw_deaths() && rank < group->size; rank++) {
        const int pe = cw_group_pe(group, rank), signo = cw_killed_by(pe);
        if (!signo)
            continue;
        gethostname(host, sizeof host - 1);  // only oshrun counts deaths: on this machine
        snprintf(text, nbytes,
                 "; image %d of the team (PE %d, host %s) was killed by signal %d (%s)", rank + 1,
                 pe, host, signo, strsignal(signo));
        break;
    }
    return text;
}

// ---------------------------------------------------------------- entries
static uint64_t entry_of(const caf_team_t *team)
{
    return team->tag << TAG_AT | (uint64_t)(uint32_t)(team->gates << NUMBER_AT);
}

static void publish(caf_team_t *team, unsigned intent)
{
    team->intents = (team->intents & INTENT_MASK) << BEFORE_AT | intent;
    // pairs with the gets of the other images
    __atomic_store_n(&table()->entered[team->tag % CAF_GATE_PLACES], entry_of(team) | team->intents,
                     __ATOMIC_RELEASE);
}

/** Has the image at that PE entered the gate in which this one is? */
static bool has_entered(const caf_team_t *team, int pe, unsigned *intent_p)
{
    uint64_t word, sought = entry_of(team);
    caf_get(&word, &table()->entered[team->tag % CAF_GATE_PLACES], sizeof word, pe);
    if (word >> TAG_AT != team->tag)
        return word >> TAG_AT > team->tag;
    // numbers wrap
    const int32_t ahead = (int32_t)((uint32_t)word - (uint32_t)sought) >> NUMBER_AT;
    if (ahead == 0 || ahead == 1)
        *intent_p = (word >> (ahead == 0 ? 0 : BEFORE_AT)) & INTENT_MASK;
    return ahead >= 0;
}

bool caf_is_ahead(int pe)
{
    unsigned intent;
    caf_team_t next = *caf.team;
    next.gates++;
    return has_entered(&next, pe, &intent);
}

/** How a member that does not come has ended. At the end of the job all images have. */
static caf_code_t end_of(const caf_team_t *team, int pe)
{
    if (team->tag == LAST_TAG)
        return cw_killed_by(pe) ? CAF_FAILED : CAF_OK;
    return caf_image_state(pe);
}

/** CAF_OK: it has entered the gate. */
static caf_code_t await_entry(const caf_team_t *team, int pe, const char *statement,
                              unsigned *intent_p)
{
    cw_wait_t w = CW_WAIT_INIT(statement);
    caf_code_t code = CAF_OK;
    bool entered = has_entered(team, pe, intent_p);
    while (!entered && code == CAF_OK) {
        cw_wait_round(&w);
        if (w.slept)
            code = end_of(team, pe);
        entered = has_entered(team, pe, intent_p);  // also before it ended
    }
    cw_wait_done(&w);
    return entered ? CAF_OK : code;
}

void caf_wake_node(void)
{
    for (int slot = 0; slot < cw_world.nslots; slot++)
        cw_wake_notify(cw_world.pes_of_node[slot]);
}

/** present: NULL, or which members have entered. */
static caf_passage_t count_entries(const caf_team_t *team, const char *statement, bool *present)
{
    caf_passage_t all = {0};
    caf_wake_node();
    for (int rank = 0; rank < team->group->size; rank++) {
        unsigned intent = CAF_COMES;
        const caf_code_t code =
            await_entry(team, cw_group_pe(team->group, rank), statement, &intent);
        all.stopped += code == CAF_STOPPED;
        all.failed += code == CAF_FAILED;
        all.refused += (intent & CAF_REFUSES) != 0;
        all.forming += code == CAF_OK && (intent & CAF_FORMS);
        all.elsewhere += code == CAF_OK && !(intent & CAF_FORMS);
        if (present)
            present[rank] = code == CAF_OK;
    }
    return all;
}

// ---------------------------------------------------------------- gates
typedef struct meeting {
    const caf_team_t *team;
    const char *claim;
    caf_passage_t all;
} meeting_t;

static void combine_passages(const cw_fused_op_t *op, void *acc_p, const void *in_p)
{
    caf_passage_t *acc = acc_p;
    const caf_passage_t *in = in_p;
    (void)op;
    acc->stopped += in->stopped;
    acc->failed += in->failed;
    acc->refused += in->refused;
    acc->forming += in->forming;
    acc->elsewhere += in->elsewhere;
    acc->mixed |= in->mixed | (acc->claim && in->claim && acc->claim != in->claim);
    acc->claim = acc->claim ? acc->claim : in->claim;
}

/** Each member brings a number for its statement, and claims are compared where these differ; in
 *  checking mode first of all, since others may be in a call of another interface. */
static void meet(void *arg)
{
    static const cw_fused_op_t op = {combine_passages};
    meeting_t *m = arg;
    caf_agree(m->team->group, m->claim);
    cw_fused(m->team->group, &m->all, sizeof m->all, &op);
    if (m->all.mixed)
        caf_compare_names(m->team->group, m->claim);
}

static bool is_hit(const void *team)
{
    return caf_is_hit(team);
}

bool caf_do(const caf_team_t *team, void (*act)(void *arg), void *arg)
{
    // a gate that this image has abandoned may have been entered by all: the group is of no use
    return !caf_is_hit(team) && cw_abandonable(act, arg, is_hit, team);
}

/** 0: none. */
static uint64_t number_of(const char *claim)
{
    uint64_t number = 0;
    for (const char *c = claim; c && *c; c++)
        number = number * 31 + (unsigned char)*c;
    return number;
}

static caf_passage_t of_one(const char *claim, caf_code_t code, unsigned intent)
{
    const bool comes = code == CAF_OK, forms = (intent & CAF_FORMS) != 0;
    return (caf_passage_t){.stopped = code == CAF_STOPPED,
                           .failed = code == CAF_FAILED,
                           .refused = (intent & CAF_REFUSES) != 0,
                           .forming = comes && forms,
                           .elsewhere = comes && !forms,
                           .claim = number_of(claim)};
}

caf_passage_t caf_gate(caf_team_t *team, const char *statement, const char *claim, caf_code_t code,
                       unsigned intent)
{
    meeting_t m = {team, claim, of_one(claim, code, intent)};
    team->gates++;
    caf_complete_before();  // also notifications of SYNC IMAGES
    if (code == CAF_OK)
        publish(team, intent);
    if (caf_do(team, meet, &m))
        team->hit = team->hit || m.all.stopped + m.all.failed > 0;
    else if (code == CAF_OK)
        m.all = count_entries(team, statement, NULL);
    else
        return m.all;  // an image that is gone itself has no more to do
    m.all.refused += intent & CAF_FORMS ? m.all.elsewhere : m.all.forming;
    return m.all;
}

// ---------------------------------------------------------------- of programs that did not ask
/** Has a member stopped that did not come to the statement in which this image is? A wait asks
 *  again; images of other nodes, which take a get each, have turns. */
static bool misses_one(const void *arg)
{
    enum { FAR_AT_ONCE = 16 };
    static unsigned turn;
    const caf_team_t *team = arg;
    const unsigned size = (unsigned)team->group->size, first = turn;
    unsigned intent;
    for (unsigned i = 0, far = 0; i < size; i++) {
        const unsigned rank = (first + i) % size;
        const int pe = cw_group_pe(team->group, (int)rank);
        if (cw_world.node_of_pe[pe] != cw_world.node) {
            if (far++ >= FAR_AT_ONCE)
                continue;
            turn = rank + 1;
        }
        if (pe != cw_world.pe && caf_image_state(pe) != CAF_OK && !has_entered(team, pe, &intent))
            return true;
    }
    return false;
}

caf_passage_t caf_act_or_miss(caf_team_t *team, const char *statement, void (*act)(void *arg),
                              void *arg)
{
    team->gates++;
    if (!team->hit && cw_abandonable(act, arg, misses_one, team))
        return (caf_passage_t){0};
    team->hit = true;
    publish(team, CAF_COMES);
    return count_entries(team, statement, NULL);
}

/** Unless the place of the team has a later one's, which says that this image has left the team. */
static void tell_entries(caf_team_t *team)
{
    if (table()->entered[team->tag % CAF_GATE_PLACES] >> TAG_AT <= team->tag)
        publish(team, CAF_COMES);
}

void caf_tell_entries(void)
{
    for (caf_team_t *team = caf_formed_teams(); team; team = team->formed)
        tell_entries(team);
    tell_entries(&caf.initial);
}

bool caf_is_level(const caf_team_t *team)
{
    bool level = true;
    for (int rank = 0; level && rank < team->group->size; rank++) {
        uint64_t word;
        caf_get(&word, &table()->entered[team->tag % CAF_GATE_PLACES], sizeof word,
                cw_group_pe(team->group, rank));
        level = (word ^ entry_of(team)) >> NUMBER_AT == 0;
    }
    return level;
}

bool caf_do_together(caf_team_t *team, const char *statement, void (*act)(void *arg), void *arg)
{
    const bool done = caf_do(team, act, arg);
    return caf_is_whole(
        caf_gate(team, statement, statement, CAF_OK, done ? CAF_COMES : CAF_REFUSES));
}

caf_passage_t caf_gather(caf_team_t *team, const char *statement, const uint64_t *mine, int n,
                         uint64_t *all, bool *present)
{
    table_t *t = table();
    memcpy(t->words, mine, (size_t)n * sizeof *mine);
    team->gates++;
    publish(team, CAF_FORMS);
    const caf_passage_t passage = count_entries(team, statement, present);
    for (int rank = 0; rank < team->group->size; rank++)
        if (present[rank])
            caf_get(all + (size_t)rank * (size_t)n, t->words, (size_t)n * sizeof *all,
                    cw_group_pe(team->group, rank));
    // no image writes new words before all have read these
    team->gates++;
    publish(team, CAF_FORMS);
    count_entries(team, statement, NULL);
    return passage;
}

bool caf_gate_of_end(void)
{
    static const char end[] = "the end of the program";
    caf_team_t last = {.group = caf.initial.group, .tag = LAST_TAG};
    cw_outlive_no_more();
    return caf_is_whole(caf_gate(&last, end, end, CAF_OK, CAF_COMES));
}
