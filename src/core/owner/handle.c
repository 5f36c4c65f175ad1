// SPDX-License-Identifier: BSD-3-Clause
//
// Handles: numbers of quiets, operations that messages carry out, arrays of both.
#include "core/owner/handle.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/lock.h"
#include "base/symbol.h"
#include "core/am/am.h"
#include "core/observe/check.h"
#include "core/observe/sources.h"

cw_handle_quiets_t cw_handle_quiets;

static void begin_wait(cw_wait_t *w)
{
    (void)w;
}

cw_handle_messages_t cw_handle_messages = {.wait_begin = begin_wait, .wait_round = cw_wait_round};

static _Thread_local cw_handle_thread_t *this_thread;
static cw_handle_thread_t *_Atomic all_threads;  // keeps them reachable
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t end_of_thread;
static _Atomic bool ops_exist;

/** Not in checking mode, where it names what the thread has left. */
static void give_back(void *record)
{
    cw_handle_thread_t *me = record;
    if (CW_CHECKING())
        return;
    this_thread = NULL;
    me->region = NULL;
    me->in_region = false;
    atomic_store_explicit(&me->idle, true, memory_order_release);  // pairs with find_idle
}

static void make_key(void)
{
    (void)pthread_key_create(&end_of_thread, give_back);
}

/** The record of a thread that has ended is another one's. */
static cw_handle_thread_t *find_idle(void)
{
    cw_handle_thread_t *t = atomic_load_explicit(&all_threads, memory_order_acquire);
    while (t && !(atomic_load_explicit(&t->idle, memory_order_relaxed) &&
                  atomic_exchange_explicit(&t->idle, false, memory_order_acquire)))
        t = t->next;
    return t;
}

static cw_handle_thread_t *add_record(void)
{
    cw_handle_thread_t *me = calloc(1, sizeof *me);
    if (!me)
        cwu_fatal("out of memory for the operations of a thread");
    cw_handle_thread_t *next = atomic_load_explicit(&all_threads, memory_order_relaxed);
    do
        me->next = next;
    while (!atomic_compare_exchange_weak(&all_threads, &next, me));
    return me;
}

cw_handle_thread_t *cw_handle_thread(void)
{
    if (CW_LIKELY(this_thread != NULL))
        return this_thread;
    pthread_once(&once, make_key);
    cw_handle_thread_t *me = find_idle();
    me = me ? me : add_record();
    (void)pthread_setspecific(end_of_thread, me);  // else the record stays this thread's
    this_thread = me;
    return me;
}

// ---------------------------------------------------------------- quiets
void cw_handle_raise(_Atomic uint64_t *number, uint64_t least)
{
    uint64_t now = atomic_load_explicit(number, memory_order_relaxed);
    while (now < least && !atomic_compare_exchange_weak(number, &now, least))
        ;
}

void cw_handle_quiet(void)
{
    uint64_t mine = atomic_fetch_add(&cw_handle_quiets.begun, 1) + 1;
    // the number before the load of the mark; pairs with cw_handle_make
    atomic_thread_fence(memory_order_seq_cst);
    // its fence orders puts within the node before later reads of this thread
    cw_quiet_default();
    cw_handle_raise(&cw_handle_quiets.done, mine);
}

/** One at a time; a quiet has its number before it begins. */
cw_handle_outcome_t cw_handle_try_quiet(void)
{
    static cwu_lock_t lock;
    static uint64_t number;  // of the quiet begun or about to begin, or 0
    static bool begun;
    if (!cwu_trylock(&lock))
        return CW_HANDLE_BUSY;
    if (number == 0)
        number = atomic_fetch_add(&cw_handle_quiets.begun, 1) + 1;
    cw_implicit_quiet_begins(number, begun);
    int rc = cw_quiet_try();
    if (rc >= 0)
        begun = rc == 0;
    if (rc > 0) {
        cw_handle_raise(&cw_handle_quiets.done, number);
        number = 0;
    }
    cwu_unlock(&lock);
    return rc < 0 ? CW_HANDLE_BUSY : rc > 0 ? CW_HANDLE_OVER : CW_HANDLE_GOES_ON;
}

static bool quiet_since(uint64_t begun)
{
    return atomic_load_explicit(&cw_handle_quiets.done, memory_order_acquire) > begun ||
           !cw_ctx_is_marked(&cw_hot);
}

// ---------------------------------------------------------------- operations
cw_handle_op_t *cw_handle_op_create(void)
{
    cw_handle_thread_t *me = cw_handle_thread();
    cw_handle_op_t *op = me->free_ops;
    if (op)
        me->free_ops = op->next;
    else if (!(op = malloc(sizeof *op)))
        cwu_fatal("out of memory for one more operation in flight");
    *op = (cw_handle_op_t){0};
    atomic_store_explicit(&ops_exist, true, memory_order_relaxed);
    return op;
}

static void op_free(cw_handle_op_t *op)
{
    cw_handle_thread_t *me = cw_handle_thread();
    op->next = me->free_ops;
    me->free_ops = op;
}

void cw_handle_op_wait(const char *call, cw_handle_op_t *op)
{
    cw_wait_t w = CW_WAIT_NOTIFIED(call);
    cw_handle_messages.wait_begin(&w);
    while (cw_handle_op_is_pending(op))
        cw_handle_messages.wait_round(&w);
    cw_wait_done(&w);
}

// ---------------------------------------------------------------- one handle
static bool is_number(cw_handle_t handle)
{
    return (uintptr_t)handle & 1;
}

/** Quiets begun before the handle was made. */
static uint64_t number_of(cw_handle_t handle)
{
    return is_number(handle) ? ((uintptr_t)handle >> 2) - 1
                             : ((cw_handle_op_t *)handle)->number - 1;
}

cw_handle_t cw_handle_make(bool in_flight, cw_handle_op_t *op)
{
    if (in_flight)  // as in cw_handle_in_flight
        atomic_thread_fence(memory_order_seq_cst);
    uint64_t begun = atomic_load(&cw_handle_quiets.begun);
    bool quiet_due = in_flight && cw_ctx_is_marked(&cw_hot);
    if (op && cw_handle_op_is_pending(op)) {
        op->number = quiet_due ? begun + 1 : 0;
        return op;
    }
    if (op)
        op_free(op);
    return quiet_due ? cw_handle_of(begun) : CW_HANDLE_DONE;
}

#define SOURCE_IS_FREE 2u

cw_handle_t cw_handle_copied(cw_handle_t handle)
{
    if (is_number(handle))
        return (cw_handle_t)((uintptr_t)handle | SOURCE_IS_FREE);
    if (handle != CW_HANDLE_DONE)
        ((cw_handle_op_t *)handle)->copied = true;
    return handle;
}

bool cw_handle_is_known(cw_handle_t handle)
{
    if (handle == CW_HANDLE_DONE)
        return true;
    return is_number(handle) ? number_of(handle) <= atomic_load(&cw_handle_quiets.begun)
                             : atomic_load_explicit(&ops_exist, memory_order_relaxed) &&
                                   (uintptr_t)handle % _Alignof(cw_handle_op_t) == 0;
}

// ---------------------------------------------------------------- checking mode
static uintptr_t name_of(cw_handle_t handle)
{
    return (uintptr_t)handle & ~(uintptr_t)SOURCE_IS_FREE;
}

cw_handle_t cw_handle_given(const char *call, cw_handle_t handle)
{
    if (handle == CW_HANDLE_DONE || is_number(handle)) {
        uintptr_t source = handle ? (uintptr_t)handle & SOURCE_IS_FREE : SOURCE_IS_FREE;
        // `begun` never has this number, so no other handle does; the next quiet completes it.
        uint64_t mine = atomic_fetch_add(&cw_handle_quiets.begun, 2) + 1;
        handle = (cw_handle_t)((uintptr_t)cw_handle_of(mine) | source);
    }
    cw_check_give(CW_KNOWN_HANDLES, name_of(handle), call);
    return handle;
}

bool cw_handle_was_given(cw_handle_t handle)
{
    cw_known_t known;
    return cw_known_find(CW_KNOWN_HANDLES, name_of(handle), &known) &&
           known.base == name_of(handle);
}

bool cw_handle_is_spent(cw_handle_t handle, char *text, size_t text_nbytes)
{
    char place[160];
    cw_known_t known;
    if (handle == CW_HANDLE_DONE || !cw_known_find(CW_KNOWN_HANDLES, name_of(handle), &known) ||
        known.base != name_of(handle) || !known.freed)
        return false;
    cwu_symbol_describe(known.place, place, sizeof place);
    snprintf(text, text_nbytes, "%s gave it at %s", known.call, place);
    return true;
}

void cw_handle_keep_source(cw_handle_t handle, const void *caller, const void *src, size_t nbytes,
                           int pe)
{
    cw_source_begin(CW_SOURCE_HANDLE, name_of(handle), caller, src, nbytes, pe);
}

void cw_handle_forget_source(cw_handle_t handle)
{
    cw_source_forget(CW_SOURCE_HANDLE, name_of(handle));
}

/** Of the calling thread; regions have their own. */
static uintptr_t implicit_key(bool in_region)
{
    return (uintptr_t)cw_handle_thread() | in_region;
}

void cw_implicit_keep_source(const void *caller, const void *src, size_t nbytes, int pe)
{
    cw_source_begin(CW_SOURCE_IMPLICIT, implicit_key(cw_implicit_in_region()), caller, src, nbytes,
                    pe);
}

void cw_implicit_end_sources(const char *call)
{
    cw_source_end(CW_SOURCE_IMPLICIT, implicit_key(false), call);
}

void cw_implicit_keep_get(const void *caller, int pe)
{
    if (!cw_implicit_in_region())
        cw_source_begin_get(CW_GET_IMPLICIT, implicit_key(false), caller, pe);
}

void cw_implicit_end_gets(void)
{
    cw_source_forget(CW_GET_IMPLICIT, implicit_key(false));
}

void cw_implicit_left_gets(const char *call, const char *remedy)
{
    cw_source_left_of(CW_GET_IMPLICIT, implicit_key(false), call, remedy);
}

void cw_implicit_move_sources(cw_handle_t handle)
{
    cw_source_move(CW_SOURCE_IMPLICIT, implicit_key(true), CW_SOURCE_HANDLE, name_of(handle));
}

void cw_handle_spend(const char *call, cw_handle_t handle)
{
    cw_source_end(CW_SOURCE_HANDLE, name_of(handle), call);
    cw_known_free(CW_KNOWN_HANDLES, name_of(handle));
}

// ---------------------------------------------------------------- completion
/** Makes no progress. True: complete, and the handle is dead. */
static bool is_done(cw_handle_t handle)
{
    if (handle == CW_HANDLE_DONE)
        return true;
    if (is_number(handle))
        return quiet_since(number_of(handle));
    cw_handle_op_t *op = handle;
    if (cw_handle_op_is_pending(op) || (op->number && !quiet_since(number_of(op))))
        return false;
    op_free(op);
    return true;
}

static bool wants_quiet(cw_handle_t handle)
{
    return is_number(handle) || ((cw_handle_op_t *)handle)->number != 0;
}

/** Lets messages arrive and begins a due quiet. Never waits. */
static void advance(bool quiet_due)
{
    cw_am_poll();
    if (quiet_due && cw_ctx_is_marked(&cw_hot))
        cw_handle_try_quiet();
}

void cw_handle_wait(const char *call, cw_handle_t handle)
{
    if (handle == CW_HANDLE_DONE)
        return;
    if (wants_quiet(handle) && !quiet_since(number_of(handle)))
        cw_handle_quiet();
    if (is_number(handle))
        return;
    cw_handle_op_wait(call, handle);
    op_free(handle);
}

bool cw_handle_test(cw_handle_t handle)
{
    if (is_done(handle))
        return true;
    advance(wants_quiet(handle));
    return is_done(handle);
}

cw_handle_t cw_handle_of_source(cw_handle_t handle)
{
    if (handle == CW_HANDLE_DONE)
        return handle;
    if (is_number(handle))
        return (uintptr_t)handle & SOURCE_IS_FREE ? CW_HANDLE_DONE : handle;
    bool waits = !((cw_handle_op_t *)handle)->copied && wants_quiet(handle);
    return waits ? cw_handle_of(number_of(handle)) : CW_HANDLE_DONE;
}

// ---------------------------------------------------------------- arrays of handles
/** Strikes out complete handles; returns their number, and how many are left. */
static size_t strike(cw_handle_t *handles, size_t n, size_t *left_p)
{
    size_t struck = 0, left = 0;
    for (size_t i = 0; i < n; i++) {
        if (handles[i] == CW_HANDLE_DONE)
            continue;
        if (is_done(handles[i])) {
            handles[i] = CW_HANDLE_DONE;
            struck++;
        } else {
            left++;
        }
    }
    *left_p = left;
    return struck;
}

static bool any_wants_quiet(const cw_handle_t *handles, size_t n)
{
    bool due = false;
    for (size_t i = 0; i < n && !due; i++)
        due = handles[i] != CW_HANDLE_DONE && wants_quiet(handles[i]);
    return due;
}

void cw_handle_wait_all(const char *call, cw_handle_t *handles, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        cw_handle_wait(call, handles[i]);
        handles[i] = CW_HANDLE_DONE;
    }
}

bool cw_handle_test_all(cw_handle_t *handles, size_t n)
{
    size_t left;
    strike(handles, n, &left);
    if (left == 0)
        return true;
    advance(any_wants_quiet(handles, n));
    strike(handles, n, &left);
    return left == 0;
}

void cw_handle_wait_some(const char *call, cw_handle_t *handles, size_t n)
{
    size_t left;
    if (strike(handles, n, &left) > 0 || left == 0)
        return;
    bool quiet_due = any_wants_quiet(handles, n);
    cw_am_poll();
    if (quiet_due)
        cw_handle_quiet();
    cw_wait_t w = CW_WAIT_NOTIFIED(call);
    cw_handle_messages.wait_begin(&w);
    while (strike(handles, n, &left) == 0)
        cw_handle_messages.wait_round(&w);
    cw_wait_done(&w);
}

bool cw_handle_test_some(cw_handle_t *handles, size_t n)
{
    size_t left;
    if (strike(handles, n, &left) > 0 || left == 0)
        return true;
    advance(any_wants_quiet(handles, n));
    return strike(handles, n, &left) > 0;
}
