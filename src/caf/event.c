// SPDX-License-Identifier: BSD-3-Clause
//
// Events: a word that posts count up and the waits of its image count down; and atomics, by which
// programs wait in loops.
#include "caf/event.h"
#include "caf/gone.h"

static bool leaves(cw_amo_op_t op, uint64_t was, uint64_t operand, uint64_t compare)
{
    switch (op) {
    case CW_AMO_FETCH:
        return true;
    case CW_AMO_CSWAP:
        return was != compare;
    case CW_AMO_OR:
        return (was | operand) == was;
    case CW_AMO_AND:
        return (was & operand) == was;
    default:  // a swap defines the word
        return op != CW_AMO_SWAP && operand == 0;
    }
}

uint64_t caf_atomic(void *word, cw_amo_op_t op, size_t nbytes, uint64_t operand, uint64_t compare,
                    int pe)
{
    const uint64_t was = cw_amo_fetching(&cw_ctx_default, word, op, nbytes, operand, compare, pe);
    if (cw_world.node_of_pe[pe] != cw_world.node)
        return was;
    if (op == CW_AMO_FETCH && pe == cw_world.pe)
        cw_wait_tested();
    return leaves(op, was, operand, compare) ? cw_amo_left(word, was) : was;
}

void caf_event_post(const caf_status_t *status, int pe, uint64_t *event)
{
    caf_post(pe, event);
    if (caf_may_name(status, "event post", pe))
        caf_succeed(status);
}

void caf_notify(int pe, uint64_t *event)
{
    caf_order();
    cw_amo_signalling(&cw_ctx_default, event, CW_AMO_ADD, sizeof *event, 1, pe);
}

/** Of the images of the program from *pe_p on: is none other than this active? Then how they have
 *  ended is in *code_p. */
static bool is_alone(int *pe_p, caf_code_t *code_p)
{
    while (*pe_p < cw_world.npes) {
        const caf_code_t code = *pe_p == cw_world.pe ? *code_p : caf_image_state(*pe_p);
        if (code == CAF_OK)
            return false;
        *code_p = *code_p == CAF_FAILED ? CAF_FAILED : code;
        ++*pe_p;
    }
    return true;
}

void caf_event_wait(const caf_status_t *status, const char *statement, uint64_t *event,
                    int64_t until)
{
    const int64_t threshold = until < 1 ? 1 : until;
    cw_wait_t w = CW_WAIT_FOR(statement, event, sizeof *event);
    cw_wait_on_t on;
    caf_complete();
    bool over = false, alone = false;
    int pe = 0;
    caf_code_t code = CAF_ERROR;
    while ((int64_t)__atomic_load_n(event, __ATOMIC_ACQUIRE) < threshold && !over) {
        on = (cw_wait_on_t){
            .kind = CW_WAIT_EVENT, .nbytes = sizeof *event, .addr = event, .want = threshold};
        w.on = &on;
        cw_wait_round(&w);
        if (caf_survives && w.slept) {
            over = caf_has_news(caf.team);
            alone = !over && is_alone(&pe, &code);
            // what images have posted before they ended is there
            over = (over || alone) && (int64_t)__atomic_load_n(event, __ATOMIC_ACQUIRE) < threshold;
        }
    }
    cw_wait_done(&w);
    if (over && alone) {
        caf_fail(status, code, statement, "no other image is active that could post");
        return;
    }
    if (over) {
        // the program decides whether it was this image that would have posted
        caf_report_gone(status, statement, caf.team, (caf_passage_t){.failed = 1});
        return;
    }
    cw_amo_posting(&cw_ctx_default, event, CW_AMO_ADD, sizeof *event, (uint64_t)-threshold,
                   cw_world.pe);
    caf_succeed(status);
}

int64_t caf_event_query(int pe, uint64_t *event)
{
    return (int64_t)caf_atomic(event, CW_AMO_FETCH, sizeof *event, 0, 0, pe);
}
