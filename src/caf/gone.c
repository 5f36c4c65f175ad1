// SPDX-License-Identifier: BSD-3-Clause
//
// Images that have stopped or failed, while the others go on.
#include "caf/gone.h"

#include <string.h>

#include "base/error.h"
#include "caf/transfer.h"
#include "core/sync/fused.h"

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

void caf_gone_open(void)
{
    caf_survives = caf.door->survives();
}

void caf_gone_close(void)
{
    caf_survives = false;
}

caf_code_t caf_image_state(int pe)
{
    uint64_t code;
    caf_get(&code, &mine()->code, sizeof code, pe);
    return (caf_code_t)code;
}

// ---------------------------------------------------------------- gates
/** The gravest code of all: FAILED, then STOPPED; and how many are gone. */
typedef struct passage {
    uint64_t stopped, failed;
} passage_t;

static void combine_passages(const cw_fused_op_t *op, void *acc_p, const void *in_p)
{
    passage_t *acc = acc_p;
    const passage_t *in = in_p;
    (void)op;
    acc->stopped += in->stopped;
    acc->failed += in->failed;
}

static passage_t pass(caf_team_t *team, caf_code_t code)
{
    static const cw_fused_op_t op = {combine_passages};
    passage_t all = {code == CAF_STOPPED, code == CAF_FAILED};
    team->gates++;
    cw_fused(team->group, &all, sizeof all, &op);
    return all;
}

bool caf_pass_gate(const caf_status_t *status, const char *statement, caf_gate_t gate,
                   const caf_team_t *team)
{
    caf_team_t *passed = (caf_team_t *)(uintptr_t)team;
    const uint64_t entered = depth_of(caf.team) << DEPTH_AT | (uint64_t)gate << KIND_AT |
                             bits(team->serial, 0, SERIAL_AT) << SERIAL_AT |
                             bits(team->gates + 1, 0, SERIAL_AT);
    // pairs with the gets of images that are gone
    __atomic_store_n(&mine()->gate, entered, __ATOMIC_RELEASE);
    passage_t all = pass(passed, CAF_OK);
    if (all.stopped + all.failed == 0)
        return true;
    caf_fail(status, all.stopped ? CAF_STOPPED : CAF_FAILED, statement,
             "%llu images of the team have stopped, and %llu have failed",
             (unsigned long long)all.stopped, (unsigned long long)all.failed);
    return false;
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

static void set_team(caf_team_t *team)
{
    caf.team = team;
    caf.group = team->group;
}

/** Takes part in what the image at that PE has entered, if it waits for this one. */
static bool follow(int pe, caf_code_t code)
{
    uint64_t gate;
    caf_get(&gate, &mine()->gate, sizeof gate, pe);
    const uint64_t kind = bits(gate, KIND_AT, DEPTH_AT);
    if (bits(gate, DEPTH_AT, 64) != depth_of(caf.team))
        return false;  // in another team
    caf_team_t *team = caf.team;
    if (kind == CAF_GATE_CHANGE_TEAM)
        team = find_new_team(bits(gate, SERIAL_AT, KIND_AT), pe);
    if (!team || bits(gate, 0, SERIAL_AT) != bits(team->gates + 1, 0, SERIAL_AT))
        return false;
    pass(team, code);
    set_team(kind == CAF_GATE_END_TEAM ? team->parent : team);
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
            set_team(team->parent);  // all of the team are gone
        else if (!follow(pe, code))
            cw_wait_round(&w);
        if (caf.team != team)
            rank = 0;
    }
    cw_wait_done(&w);
}
