// SPDX-License-Identifier: BSD-3-Clause
//
// Completion. What travels by the transport is complete after a quiet of the default context.
// Quiets are numbered when they begin, and gas.quiets_done is the highest number that is over. A
// handle made when n quiets had begun is done when a later one is: n < quiets_done. So a handle is
// a number and costs no memory, and one quiet completes whole arrays of them.
//
//   handle   0: done from the start | odd: number << 1 | 1 | else: a gas_op_t, which counts
//            messages
//
// A try begins a quiet or looks after one that has begun, and never waits. A quiet covers what
// other threads put or got before it: more than is asked for, which GASNet allows, and as it waits
// only for what came before it, it ends though others go on.
#include <stdlib.h>

#include "base/lock.h"
#include "gasnet/gas.h"

#define MOST_IN_VAIN 16u

static _Thread_local gas_thread_t *this_thread;
static gas_thread_t *_Atomic all_threads;  // keeps them reachable

gas_thread_t *gas_thread(void)
{
    gas_thread_t *me = this_thread;
    if (CW_LIKELY(me != NULL))
        return me;
    if (!(me = calloc(1, sizeof *me)))
        cwu_fatal("out of memory for what a thread has under way");
    gas_thread_t *next = atomic_load_explicit(&all_threads, memory_order_relaxed);
    do
        me->next = next;
    while (!atomic_compare_exchange_weak(&all_threads, &next, me));
    this_thread = me;
    return me;
}

// ---------------------------------------------------------------- quiets
static void raise_to(_Atomic uint64_t *number, uint64_t least)
{
    uint64_t now = atomic_load_explicit(number, memory_order_relaxed);
    while (now < least && !atomic_compare_exchange_weak(number, &now, least))
        ;
}

void gas_quiet(void)
{
    uint64_t mine = atomic_fetch_add(&gas.quiets_begun, 1) + 1;
    atomic_thread_fence(memory_order_seq_cst);  // the number before the look at the mark; pairs
                                                // with gas_handle
    cw_quiet_default();  // its fence orders puts within the node before what this thread reads next
    raise_to(&gas.quiets_done, mine);
}

void gas_implicit_issued(void)
{
    raise_to(&gas.implicit_until, atomic_load(&gas.quiets_begun) + 1);
}

/** Has a record been injected into that no quiet has looked at since? Only implicit operations do
 *  that, and values. */
static bool somebody_injected(void)
{
    bool reached = __atomic_load_n(&gas.inject, __ATOMIC_RELAXED) != 0;
    for (gasnet_node_t node = 0; reached && node < gas.nodes; node++) {
        uintptr_t word = gas_word(node);
        if ((word & 1) && word != gas_stranger(node) &&
            __atomic_load_n(&((cwt_target_t *)(word - 1))->last, __ATOMIC_RELAXED))
            return true;
    }
    return false;
}

typedef enum outcome { BUSY, GOES_ON, IS_OVER } outcome_t;

/** A quiet that never waits: begins one, or looks after the one that has begun. One at a time; it
 *  has its number before it begins. BUSY: another thread is at it, or it could not begin. */
static outcome_t quiet_try(void)
{
    static cwu_lock_t lock;
    static uint64_t number;  // of the one that has begun or is about to, or 0
    static bool begun;
    if (!cwu_trylock(&lock))
        return BUSY;
    if (number == 0)
        number = atomic_fetch_add(&gas.quiets_begun, 1) + 1;
    if (somebody_injected())
        raise_to(&gas.implicit_until, begun ? number + 1 : number);
    int rc = cw_quiet_try();
    if (rc >= 0)
        begun = rc == 0;
    if (rc > 0) {
        raise_to(&gas.quiets_done, number);
        number = 0;
    }
    cwu_unlock(&lock);
    return rc < 0 ? BUSY : rc > 0 ? IS_OVER : GOES_ON;
}

static bool quiet_since(uint64_t begun)
{
    return atomic_load_explicit(&gas.quiets_done, memory_order_acquire) > begun ||
           !cw_ctx_is_marked(&cw_hot);
}

// ---------------------------------------------------------------- operations
gas_op_t *gas_op_create(void)
{
    gas_thread_t *me = gas_thread();
    gas_op_t *op = me->free_ops;
    if (op)
        me->free_ops = op->next;
    else if (!(op = malloc(sizeof *op)))
        cwu_fatal("out of memory for one more operation under way");
    *op = (gas_op_t){0};
    return op;
}

static void op_free(gas_op_t *op)
{
    gas_thread_t *me = gas_thread();
    op->next = me->free_ops;
    me->free_ops = op;
}

static bool op_pending(gas_op_t *op)
{
    // pairs with the handlers' countdown
    return atomic_load_explicit(&op->pending, memory_order_acquire) != 0;
}

void gas_op_wait(const char *call, gas_op_t *op)
{
    cw_wait_t w = CW_WAIT_TOLD(call);
    gas_wait_begin(&w);
    while (op_pending(op))
        gas_wait_round(&w);
    cw_wait_done(&w);
}

gasnet_handle_t gas_handle(bool under_way, gas_op_t *op)
{
    // The mark of the transfer before the number: a quiet of another thread that counts for this
    // handle, because its number is higher, has seen the mark and waited for the transfer. Pairs
    // with gas_quiet.
    if (under_way)
        atomic_thread_fence(memory_order_seq_cst);
    uint64_t begun = atomic_load(&gas.quiets_begun);
    bool quiet_due = under_way && cw_ctx_is_marked(&cw_hot);
    if (op && op_pending(op)) {
        op->epoch = quiet_due ? begun + 1 : 0;
        return op;
    }
    if (op)
        op_free(op);
    return quiet_due ? (gasnet_handle_t)(uintptr_t)(begun << 1 | 1) : GASNET_INVALID_HANDLE;
}

gas_op_t *gas_implicit(bool put)
{
    if (CW_LIKELY(gas.segments != GAS_EVERYTHING))
        return NULL;
    gas_thread_t *me = gas_thread();
    return me->region ? me->region : put ? &me->puts : &me->gets;
}

// ---------------------------------------------------------------- one handle
static bool is_number(gasnet_handle_t handle)
{
    return (uintptr_t)handle & 1;
}

/** Quiets that had begun when the handle's transfers had. */
static uint64_t number_of(gasnet_handle_t handle)
{
    return is_number(handle) ? (uintptr_t)handle >> 1 : ((gas_op_t *)handle)->epoch - 1;
}

/** In checking mode: what no call returned as a handle. */
static void check_handle(const char *call, gasnet_handle_t handle)
{
    if (CW_LIKELY(!gas.check) || handle == GASNET_INVALID_HANDLE)
        return;
    bool known = is_number(handle) ? number_of(handle) <= atomic_load(&gas.quiets_begun)
                                   : (gas.segments == GAS_EVERYTHING || gas.endpoints) &&
                                         (uintptr_t)handle % _Alignof(gas_op_t) == 0;
    if (!known)
        gas_fail(call, "%p is no handle that a call of this process returned", handle);
}

/** Makes no progress; true: done, and the handle is dead. */
static bool is_done(gasnet_handle_t handle)
{
    if (handle == GASNET_INVALID_HANDLE)
        return true;
    if (is_number(handle))
        return quiet_since(number_of(handle));
    gas_op_t *op = handle;
    if (op_pending(op) || (op->epoch && !quiet_since(number_of(op))))
        return false;
    op_free(op);
    return true;
}

static bool wants_quiet(gasnet_handle_t handle)
{
    return is_number(handle) || ((gas_op_t *)handle)->epoch != 0;
}

/** What makes handles done that a quiet completes, and messages arrive. Never waits. */
static void advance(gasnet_handle_t handle)
{
    cw_am_poll();
    if (wants_quiet(handle) && cw_ctx_is_marked(&cw_hot))
        quiet_try();
}

void gas_wait_handle(const char *call, gasnet_handle_t handle)
{
    gas_enter(call);
    check_handle(call, handle);
    if (handle == GASNET_INVALID_HANDLE)
        return;
    if (wants_quiet(handle) && !quiet_since(number_of(handle)))
        gas_quiet();
    if (is_number(handle))
        return;
    gas_op_wait(call, handle);
    op_free(handle);
}

int gas_try_handle(const char *call, gasnet_handle_t handle)
{
    gas_enter(call);
    check_handle(call, handle);
    if (is_done(handle))
        return GASNET_OK;
    advance(handle);
    return is_done(handle) ? GASNET_OK : GASNET_ERR_NOT_READY;
}

GAS_API void gasnet_wait_syncnb(gasnet_handle_t handle)
{
    gas_wait_handle(__func__, handle);
}

GAS_API int gasnet_try_syncnb(gasnet_handle_t handle)
{
    return gas_try_handle(__func__, handle);
}

// ---------------------------------------------------------------- arrays of handles
static void check_array(const char *call, const gasnet_handle_t *handles, size_t n)
{
    gas_enter(call);
    if (!handles && n > 0)
        gas_fail(call, "the array of %zu handles is NULL", n);
    for (size_t i = 0; gas.check && i < n; i++)
        check_handle(call, handles[i]);
}

/** Strikes out what is done; how many were, and how many are left. */
static size_t strike(gasnet_handle_t *handles, size_t n, size_t *left_p)
{
    size_t struck = 0, left = 0;
    for (size_t i = 0; i < n; i++) {
        if (handles[i] == GASNET_INVALID_HANDLE)
            continue;
        if (is_done(handles[i])) {
            handles[i] = GASNET_INVALID_HANDLE;
            struck++;
        } else {
            left++;
        }
    }
    *left_p = left;
    return struck;
}

/** The same for many; waits for the network if it may. */
static void advance_any(const gasnet_handle_t *handles, size_t n, bool may_wait)
{
    bool quiet_due = false;
    for (size_t i = 0; i < n && !quiet_due; i++)
        quiet_due = handles[i] != GASNET_INVALID_HANDLE && wants_quiet(handles[i]);
    cw_am_poll();
    if (quiet_due && may_wait)
        gas_quiet();
    else if (quiet_due && cw_ctx_is_marked(&cw_hot))
        quiet_try();
}

GAS_API void gasnet_wait_syncnb_all(gasnet_handle_t *handles, size_t numhandles)
{
    check_array(__func__, handles, numhandles);
    for (size_t i = 0; i < numhandles; i++) {
        gas_wait_handle(__func__, handles[i]);
        handles[i] = GASNET_INVALID_HANDLE;
    }
}

GAS_API int gasnet_try_syncnb_all(gasnet_handle_t *handles, size_t numhandles)
{
    size_t left;
    check_array(__func__, handles, numhandles);
    strike(handles, numhandles, &left);
    if (left == 0)
        return GASNET_OK;
    advance_any(handles, numhandles, false);
    strike(handles, numhandles, &left);
    return left == 0 ? GASNET_OK : GASNET_ERR_NOT_READY;
}

GAS_API void gasnet_wait_syncnb_some(gasnet_handle_t *handles, size_t numhandles)
{
    size_t left;
    check_array(__func__, handles, numhandles);
    if (strike(handles, numhandles, &left) > 0 || left == 0)
        return;
    advance_any(handles, numhandles, true);
    cw_wait_t w = CW_WAIT_TOLD(__func__);
    gas_wait_begin(&w);
    while (strike(handles, numhandles, &left) == 0)
        gas_wait_round(&w);
    cw_wait_done(&w);
}

GAS_API int gasnet_try_syncnb_some(gasnet_handle_t *handles, size_t numhandles)
{
    size_t left;
    check_array(__func__, handles, numhandles);
    if (strike(handles, numhandles, &left) > 0 || left == 0)
        return GASNET_OK;
    advance_any(handles, numhandles, false);
    return strike(handles, numhandles, &left) > 0 ? GASNET_OK : GASNET_ERR_NOT_READY;
}

// ---------------------------------------------------------------- implicit handles
static void check_outside_region(const char *call)
{
    gas_enter(call);
    if (gas.check && gas_thread()->in_region)
        gas_fail(call, "called inside an access region; end it first");
}

static __attribute__((noinline)) void wait_implicit(const char *call, bool gets, bool puts)
{
    check_outside_region(call);
    gas_quiet();
    if (gas.segments != GAS_EVERYTHING)
        return;
    gas_thread_t *me = gas_thread();
    if (gets)
        gas_op_wait(call, &me->gets);
    if (puts)
        gas_op_wait(call, &me->puts);
}

/** Nothing is under way and nobody looks on: the case that is counted in instructions. */
static inline __attribute__((always_inline)) void wait_or_pass(const char *call, bool gets,
                                                               bool puts)
{
    if (CW_UNLIKELY(gas.slow_sync))
        wait_implicit(call, gets, puts);
    else if (cw_ctx_is_marked(&cw_hot))
        gas_quiet();
    else
        atomic_thread_fence(memory_order_seq_cst);
}

/** Have quiets ended since the last implicit operation? With threads another one may just have
 *  begun the quiet that ends it. */
static bool nothing_since(void)
{
    return gas.threads != GAS_PAR && !somebody_injected() &&
           atomic_load(&gas.implicit_until) <= atomic_load(&gas.quiets_done);
}

/** Is what is under way surely none of the implicit operations before this call? Never waits, but
 *  for clients that always have something younger under way: after many quiets in vain. */
static bool implicit_done(void)
{
    static _Atomic uint32_t in_vain;
    if (!cw_ctx_is_marked(&cw_hot) || nothing_since())
        return true;
    outcome_t outcome = quiet_try();
    bool done =
        outcome != BUSY && atomic_load(&gas.implicit_until) <= atomic_load(&gas.quiets_done);
    if (done || !cw_ctx_is_marked(&cw_hot)) {
        atomic_store_explicit(&in_vain, 0, memory_order_relaxed);
        return true;
    }
    if (outcome != IS_OVER ||
        atomic_fetch_add_explicit(&in_vain, 1, memory_order_relaxed) < MOST_IN_VAIN)
        return false;
    atomic_store_explicit(&in_vain, 0, memory_order_relaxed);
    gas_quiet();
    return true;
}

int gas_try_implicit(const char *call, bool gets, bool puts)
{
    check_outside_region(call);
    cw_am_poll();
    if (!implicit_done())
        return GASNET_ERR_NOT_READY;
    atomic_thread_fence(memory_order_seq_cst);
    if (gas.segments != GAS_EVERYTHING)
        return GASNET_OK;
    gas_thread_t *me = gas_thread();
    bool left = (gets && op_pending(&me->gets)) || (puts && op_pending(&me->puts));
    return left ? GASNET_ERR_NOT_READY : GASNET_OK;
}

void gas_wait_implicit(const char *call, bool gets, bool puts)
{
    wait_or_pass(call, gets, puts);
}

GAS_API void gasnet_wait_syncnbi_gets(void)
{
    wait_or_pass(__func__, true, false);
}

GAS_API void gasnet_wait_syncnbi_puts(void)
{
    wait_or_pass(__func__, false, true);
}

GAS_API void gasnet_wait_syncnbi_all(void)
{
    wait_or_pass(__func__, true, true);
}

GAS_API int gasnet_try_syncnbi_gets(void)
{
    return gas_try_implicit(__func__, true, false);
}

GAS_API int gasnet_try_syncnbi_puts(void)
{
    return gas_try_implicit(__func__, false, true);
}

GAS_API int gasnet_try_syncnbi_all(void)
{
    return gas_try_implicit(__func__, true, true);
}

// ---------------------------------------------------------------- access regions
void gas_begin_region(const char *call)
{
    gas_enter(call);
    gas_thread_t *me = gas_thread();
    if (me->in_region)
        gas_fail(call, "an access region is open already; end it first");
    me->in_region = true;
    me->region = gas.segments == GAS_EVERYTHING ? gas_op_create() : NULL;
}

gasnet_handle_t gas_end_region(const char *call)
{
    gas_enter(call);
    gas_thread_t *me = gas_thread();
    if (!me->in_region)
        gas_fail(call, "no access region is open; begin one first");
    gas_op_t *op = me->region;
    me->in_region = false;
    me->region = NULL;
    return gas_handle(true, op);
}

GAS_API void gasnet_begin_nbi_accessregion(void)
{
    gas_begin_region(__func__);
}

GAS_API gasnet_handle_t gasnet_end_nbi_accessregion(void)
{
    return gas_end_region(__func__);
}
