// SPDX-License-Identifier: BSD-3-Clause
//
// Implicit operations are complete when a quiet is over that began after them, and their messages
// have replies.
#include "core/am/am.h"
#include "core/owner/handle.h"
#include "core/owner/owner.h"
#include "core/path/path.h"

#define MOST_IN_VAIN 16u

/** Implicit operations are complete when this many quiets are; see injected_since, too. */
static _Atomic uint64_t implicit_until;

void cw_implicit_issued(void)
{
    if (cw_world.thread_multiple)  // as in cw_handle_in_flight
        atomic_thread_fence(memory_order_seq_cst);
    cw_handle_raise(&implicit_until, atomic_load(&cw_handle_quiets.begun) + 1);
}

/** take: as a quiet begins, clears the marks of intercepted records, which no transport clears. */
static bool injected_by(const cw_owner_t *o, bool take)
{
    bool any = false, reached = __atomic_load_n(&o->inject_nbytes, __ATOMIC_RELAXED) != 0;
    for (uint32_t pe = 0; reached && pe < o->npes; pe++) {
        uintptr_t word = __atomic_load_n(&o->word[pe], CW_DEPENDED_ON);
        if (!(word & 1) || word == cw_owner_unreached_word(o, pe))
            continue;
        cw_owner_target_t *target = cw_owner_target_of(cw_word_target(word));
        any |= __atomic_load_n(&target->direct.last, __ATOMIC_RELAXED) != 0;
        if (__atomic_load_n(&target->intercepted.last, __ATOMIC_RELAXED)) {
            any = true;
            if (take)
                __atomic_store_n(&target->intercepted.last, 0, __ATOMIC_RELAXED);
        }
        if (any && !take)
            break;
    }
    return any;
}

/** Was a record injected into that no quiet has looked at since? Only implicit operations and
 *  values are. */
static bool injected_since(bool take)
{
    bool any = false;
    for (const cw_owner_t *o = cw_owner_first(); o; o = o->next)
        any |= injected_by(o, take);
    return any;
}

/** Another thread's quiet with a higher number may have begun before the injection, and its end
 *  counts for lower ones: then, too, a quiet with a number of its own is needed. */
void cw_implicit_quiet_begins(uint64_t number, bool begun)
{
    if (!injected_since(true))
        return;
    uint64_t last = atomic_load(&cw_handle_quiets.begun);  // behind the marks
    cw_handle_raise(&implicit_until, begun || number != last ? last + 1 : number);
}

cw_handle_op_t *cw_implicit_op(bool put)
{
    if (CW_LIKELY(!cw_handle_messages.implicit))
        return NULL;
    cw_handle_thread_t *me = cw_handle_thread();
    return me->region ? me->region : put ? &me->puts : &me->gets;
}

static bool quiets_suffice(void)
{
    return atomic_load(&implicit_until) <= atomic_load(&cw_handle_quiets.done);
}

/** Have quiets ended since the last implicit operation? With threads, another may just have begun
 *  the quiet that ends it. */
static bool nothing_since(void)
{
    return !cw_world.thread_multiple && !injected_since(false) && quiets_suffice();
}

/** Is no implicit operation from before this call in flight, for sure? */
static bool all_done(void)
{
    static _Atomic uint32_t in_vain;
    if (!cw_ctx_is_marked(&cw_hot) || nothing_since())
        return true;
    cw_handle_outcome_t outcome = cw_handle_try_quiet();
    bool done = outcome != CW_HANDLE_BUSY && quiets_suffice();
    if (done || !cw_ctx_is_marked(&cw_hot)) {
        atomic_store_explicit(&in_vain, 0, memory_order_relaxed);
        return true;
    }
    if (outcome != CW_HANDLE_OVER ||
        atomic_fetch_add_explicit(&in_vain, 1, memory_order_relaxed) < MOST_IN_VAIN)
        return false;
    atomic_store_explicit(&in_vain, 0, memory_order_relaxed);
    cw_handle_quiet();
    return true;
}

bool cw_implicit_test(bool gets, bool puts)
{
    cw_am_poll();
    if (!all_done())
        return false;
    atomic_thread_fence(memory_order_seq_cst);
    if (!cw_handle_messages.implicit)
        return true;
    cw_handle_thread_t *me = cw_handle_thread();
    return !(gets && cw_handle_op_is_pending(&me->gets)) &&
           !(puts && cw_handle_op_is_pending(&me->puts));
}

void cw_implicit_wait(const char *call, bool gets, bool puts)
{
    cw_handle_quiet();
    if (!cw_handle_messages.implicit)
        return;
    cw_handle_thread_t *me = cw_handle_thread();
    if (gets)
        cw_handle_op_wait(call, &me->gets);
    if (puts)
        cw_handle_op_wait(call, &me->puts);
}

// ---------------------------------------------------------------- access regions
bool cw_implicit_in_region(void)
{
    return cw_handle_thread()->in_region;
}

void cw_implicit_begin_region(void)
{
    cw_handle_thread_t *me = cw_handle_thread();
    me->in_region = true;
    me->region = cw_handle_messages.implicit ? cw_handle_op_create() : NULL;
}

cw_handle_t cw_implicit_end_region(void)
{
    cw_handle_thread_t *me = cw_handle_thread();
    cw_handle_op_t *op = me->region;
    me->in_region = false;
    me->region = NULL;
    return cw_handle_make(true, op);
}
