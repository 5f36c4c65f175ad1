// SPDX-License-Identifier: BSD-3-Clause
//
// Numbered completion. What travels by the transport is complete after a quiet of the default
// context. Quiets are numbered when they begin, and `done` is the highest number that is over. A
// handle made when n quiets had begun is complete when a later one is: n < done. So a handle is a
// number and costs no memory, and one quiet completes whole arrays of them.
//
//   handle   0: complete from the start | bit 0 set: (number + 1) << 2 | source is free << 1 | 1 |
//            else: a cw_handle_op_t, which counts messages
//   1 and 3 are no handles: front ends may use them.
//
// A test begins a quiet or tests one that has begun, and never waits. A quiet covers what
// other threads put or got before it: more than is asked for, and as it waits only for what came
// before it, it ends though others go on.
//
// Implicit operations have no handle; they complete together: those of an access region with the
// handle of the region, the others when their thread waits for its implicit puts or gets.
//
// Handles serve all front ends of a process; messages carry out the operations of one at most, that
// of core/owner/copy.h, and its way to wait is that of all.
//
// Threads: any; implicit operations and regions belong to their thread. Blocking: functions named
// wait, and cw_handle_quiet.
#ifndef CW_OWNER_HANDLE_H
#define CW_OWNER_HANDLE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "core/progress/wait.h"
#include "core/rma/rma.h"

typedef void *cw_handle_t;
#define CW_HANDLE_DONE ((cw_handle_t)0)

/** An operation that messages carry out. */
typedef struct cw_handle_op {
    _Atomic uint32_t pending;   // messages in flight; the handlers of their replies count down
    uint64_t number;            // quiets begun after its last transfer; 0: it needs none
    bool copied;                // its source is free
    struct cw_handle_op *next;  // free
} cw_handle_op_t;

/** The front end whose operations messages carry out. */
typedef struct cw_handle_messages {
    bool implicit;  // also implicit ones
    void (*wait_begin)(cw_wait_t *w);
    void (*wait_round)(cw_wait_t *w);
} cw_handle_messages_t;
extern cw_handle_messages_t cw_handle_messages CW_HIDDEN;

// ---------------------------------------------------------------- operations
/** Completes all that this process put or got until now. */
void cw_handle_quiet(void);
cw_handle_op_t *cw_handle_op_create(void);
/** Waits for the messages of an operation. */
void cw_handle_op_wait(const char *call, cw_handle_op_t *op);

// ---------------------------------------------------------------- handles
/** The handle of one operation that was begun: op may be NULL. */
cw_handle_t cw_handle_make(bool in_flight, cw_handle_op_t *op);
/** Of one that is in flight and has no messages. */
static CW_ALWAYS_INLINE cw_handle_t cw_handle_in_flight(void);
/** The same for an operation whose source may change already. */
cw_handle_t cw_handle_copied(cw_handle_t handle);
/** Can a call of this process have returned that? */
bool cw_handle_is_known(cw_handle_t handle);
/** Only in checking mode: what `call` gives to the program instead, which must wait for it once: a
 *  number of its own, also for what is complete; or the operation. */
cw_handle_t cw_handle_given(const char *call, cw_handle_t handle);
/** Only in checking mode, of a put whose source is in use until the wait for the handle that was
 *  given. caller: as cw_source_begin wants it. */
void cw_handle_keep_source(cw_handle_t handle, const void *caller, const void *src, size_t nbytes,
                           int pe);
/** The same of an implicit put, or one of the access region. */
void cw_implicit_keep_source(const void *caller, const void *src, size_t nbytes, int pe);
/** Only in checking mode: the implicit puts of this thread are complete. */
void cw_implicit_end_sources(const char *call);
/** The same of gets: one outside of an access region began, they are complete, or are not though
 *  they are as good as lost. */
void cw_implicit_keep_get(const void *caller, int pe);
void cw_implicit_end_gets(void);
void cw_implicit_left_gets(const char *call, const char *remedy);
/** The region has that handle, which was given. */
void cw_implicit_move_sources(cw_handle_t handle);
/** The source of the operation is watched no more. */
void cw_handle_forget_source(cw_handle_t handle);
/** In checking mode: has cw_handle_given named it, and is that not forgotten? */
bool cw_handle_was_given(cw_handle_t handle);
/** Was it waited for before? Then where it comes from: "gasnet_put_nb gave it at main+0x1 (a.c:5)".
 *  False, too, for what was not given so. */
bool cw_handle_is_spent(cw_handle_t handle, char *text, size_t text_nbytes);
/** One that was given was waited for, by `call`. */
void cw_handle_spend(const char *call, cw_handle_t handle);
void cw_handle_wait(const char *call, cw_handle_t handle);
/** True: complete, and the handle is dead. */
bool cw_handle_test(cw_handle_t handle);
/** The handle that completes when the source of the operation may change. */
cw_handle_t cw_handle_of_source(cw_handle_t handle);

// Arrays of handles; complete ones become CW_HANDLE_DONE.
void cw_handle_wait_all(const char *call, cw_handle_t *handles, size_t n);
/** True: all are complete. */
bool cw_handle_test_all(cw_handle_t *handles, size_t n);
/** Until one of those that are not CW_HANDLE_DONE is complete. */
void cw_handle_wait_some(const char *call, cw_handle_t *handles, size_t n);
/** True: at least one is complete, or there was none to wait for. */
bool cw_handle_test_some(cw_handle_t *handles, size_t n);

// ---------------------------------------------------------------- implicit operations (implicit.c)
/** One was begun, otherwise than by the inject of a record. */
void cw_implicit_issued(void);
/** What counts an implicit operation's messages: the open access region, or the thread's puts or
 *  gets. NULL: there are no messages to count. */
cw_handle_op_t *cw_implicit_op(bool put);
void cw_implicit_wait(const char *call, bool gets, bool puts);
/** Never waits, but for a client that always has something younger in flight: after many tests in
 *  vain. */
bool cw_implicit_test(bool gets, bool puts);
/** The fast path of cw_implicit_wait where no messages carry out transfers: true if it waited for
 *  all; else the caller calls cw_handle_quiet. */
static CW_ALWAYS_INLINE bool cw_implicit_wait_fast(void)
{
    if (CW_UNLIKELY(cw_ctx_is_marked(&cw_hot)))
        return false;
    atomic_thread_fence(memory_order_seq_cst);
    return true;
}

/** Is an access region of this thread open? */
bool cw_implicit_in_region(void);
/** Outside of a region only. */
void cw_implicit_begin_region(void);
/** Inside of a region only. */
cw_handle_t cw_implicit_end_region(void);

// ---- for implicit.c
typedef struct cw_handle_quiets {
    _Atomic uint64_t begun, done;
} cw_handle_quiets_t;
extern cw_handle_quiets_t cw_handle_quiets CW_HIDDEN;

static CW_ALWAYS_INLINE cw_handle_t cw_handle_of(uint64_t begun)
{
    return (cw_handle_t)(uintptr_t)((begun + 1) << 2 | 1);
}

static CW_ALWAYS_INLINE cw_handle_t cw_handle_in_flight(void)
{
    // The mark of the transfer before the number: a quiet of another thread that counts for this
    // handle, because its number is higher, has seen the mark and waited for the transfer. Pairs
    // with cw_handle_quiet.
    atomic_thread_fence(memory_order_seq_cst);
    uint64_t begun = atomic_load(&cw_handle_quiets.begun);
    return CW_LIKELY(cw_ctx_is_marked(&cw_hot)) ? cw_handle_of(begun) : CW_HANDLE_DONE;
}

typedef struct cw_handle_thread {
    cw_handle_op_t puts, gets;  // implicit operations
    cw_handle_op_t *region;     // of an access region that is open, else NULL
    cw_handle_op_t *free_ops;
    bool in_region;
    struct cw_handle_thread *next;  // all
} cw_handle_thread_t;
/** Of the calling thread. Never freed: replies may come after the end of the thread. */
cw_handle_thread_t *cw_handle_thread(void);

typedef enum cw_handle_outcome {
    CW_HANDLE_BUSY,     // another thread is at it, or no quiet could begin
    CW_HANDLE_GOES_ON,  // the quiet has begun
    CW_HANDLE_OVER      // and ended
} cw_handle_outcome_t;
/** A quiet that never waits: begins one, or tests the one that has begun. */
cw_handle_outcome_t cw_handle_try_quiet(void);
void cw_handle_raise(_Atomic uint64_t *number, uint64_t least);
static inline bool cw_handle_op_is_pending(cw_handle_op_t *op)
{
    // pairs with the countdown of the handlers
    return atomic_load_explicit(&op->pending, memory_order_acquire) != 0;
}
/** A quiet with that number is about to begin (or has begun): implicit operations injected before
 *  complete with it, or with a later one. */
void cw_implicit_quiet_begins(uint64_t number, bool begun);

#endif
