// SPDX-License-Identifier: BSD-3-Clause
//
// Numbered completion. Quiets of the default context, which complete what the transport carries,
// are numbered when they begin; `done` is the highest number that is over. A handle made when n
// quiets had begun is complete when n < done.
//
//   handle   0: complete from the start | bit 0 set: (number + 1) << 2 | source is free << 1 | 1 |
//            else: a cw_handle_op_t, which counts messages
//   1 and 3 are no handles: front ends may use them.
//
// A test begins a quiet or tests one that has begun, and never waits. A quiet waits only for what
// came before it, of all threads.
//
// Implicit operations have no handle: those of an access region complete with the region's, others
// when their thread waits for its implicit ones. Messages carry out the operations of one front end
// at most, that of core/owner/copy.h.
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
    _Atomic uint32_t pending;   // messages in flight; handlers of replies count down
    uint64_t number;            // quiets begun after its last transfer; 0: needs none
    bool copied;                // the source is free
    struct cw_handle_op *next;  // free
} cw_handle_op_t;

/** The front end whose operations messages carry out. */
typedef struct cw_handle_messages {
    bool implicit;  // implicit ones, too
    void (*wait_begin)(cw_wait_t *w);
    void (*wait_round)(cw_wait_t *w);
} cw_handle_messages_t;
extern cw_handle_messages_t cw_handle_messages CW_HIDDEN;

// ---------------------------------------------------------------- operations
/** Completes all that this process has put or got. */
void cw_handle_quiet(void);
cw_handle_op_t *cw_handle_op_create(void);
/** Waits for the operation's messages. */
void cw_handle_op_wait(const char *call, cw_handle_op_t *op);

// ---------------------------------------------------------------- handles
/** Of an operation that was begun; op may be NULL. */
cw_handle_t cw_handle_make(bool in_flight, cw_handle_op_t *op);
/** In flight, without messages. */
static CW_ALWAYS_INLINE cw_handle_t cw_handle_in_flight(void);
/** As above, with a source that may change already. */
cw_handle_t cw_handle_copied(cw_handle_t handle);
/** Can a call of this process have returned it? */
bool cw_handle_is_known(cw_handle_t handle);

// ---- checking mode
/** What `call` gives to the program instead, to be waited for once: the operation, or a number of
 *  its own. */
cw_handle_t cw_handle_given(const char *call, cw_handle_t handle);
/** The source is in use until the wait for the given handle. caller: as for cw_source_begin. */
void cw_handle_keep_source(cw_handle_t handle, const void *caller, const void *src, size_t nbytes,
                           int pe);
/** As above, of an implicit put, or one of the access region. */
void cw_implicit_keep_source(const void *caller, const void *src, size_t nbytes, int pe);
/** This thread's implicit puts are complete. */
void cw_implicit_end_sources(const char *call);
/** Gets outside of access regions: one began; all are complete; or they are not, and as good as
 *  lost. */
void cw_implicit_keep_get(const void *caller, int pe);
void cw_implicit_end_gets(void);
void cw_implicit_left_gets(const char *call, const char *remedy);
/** The region's puts get its given handle. */
void cw_implicit_move_sources(cw_handle_t handle);
/** Its source is watched no more. */
void cw_handle_forget_source(cw_handle_t handle);
/** Has cw_handle_given named it, and is it not forgotten? */
bool cw_handle_was_given(cw_handle_t handle);
/** Was a given handle waited for before? text: "gasnet_put_nb gave it at main+0x1 (a.c:5)". */
bool cw_handle_is_spent(cw_handle_t handle, char *text, size_t text_nbytes);
/** `call` has waited for a given handle. */
void cw_handle_spend(const char *call, cw_handle_t handle);

// ---- waits and tests
void cw_handle_wait(const char *call, cw_handle_t handle);
/** True: complete, and the handle is dead. */
bool cw_handle_test(cw_handle_t handle);
/** Completes when the operation's source may change. */
cw_handle_t cw_handle_of_source(cw_handle_t handle);

// Arrays; complete handles become CW_HANDLE_DONE.
void cw_handle_wait_all(const char *call, cw_handle_t *handles, size_t n);
/** True: all are complete. */
bool cw_handle_test_all(cw_handle_t *handles, size_t n);
/** Until one that was not CW_HANDLE_DONE is complete. */
void cw_handle_wait_some(const char *call, cw_handle_t *handles, size_t n);
/** True: at least one is complete, or there was none. */
bool cw_handle_test_some(cw_handle_t *handles, size_t n);

// ---------------------------------------------------------------- implicit operations (implicit.c)
/** An implicit operation was begun, not by a record's inject. */
void cw_implicit_issued(void);
/** Counts messages of the open access region, or of the thread's puts or gets. NULL: there are
 *  none. */
cw_handle_op_t *cw_implicit_op(bool put);
void cw_implicit_wait(const char *call, bool gets, bool puts);
/** Waits only if a client always has something younger in flight, after many tests in vain. */
bool cw_implicit_test(bool gets, bool puts);
/** As cw_implicit_wait, where no messages carry out transfers. False: the caller calls
 *  cw_handle_quiet. */
static CW_ALWAYS_INLINE bool cw_implicit_wait_fast(void)
{
    if (CW_UNLIKELY(cw_ctx_is_marked(&cw_hot)))
        return false;
    atomic_thread_fence(memory_order_seq_cst);
    return true;
}

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
    // The transfer's mark before the number: another thread's quiet that counts for this handle, by
    // its higher number, has seen the mark. Pairs with cw_handle_quiet.
    atomic_thread_fence(memory_order_seq_cst);
    uint64_t begun = atomic_load(&cw_handle_quiets.begun);
    return CW_LIKELY(cw_ctx_is_marked(&cw_hot)) ? cw_handle_of(begun) : CW_HANDLE_DONE;
}

typedef struct cw_handle_thread {
    cw_handle_op_t puts, gets;  // implicit operations
    cw_handle_op_t *region;     // of an open access region, or NULL
    cw_handle_op_t *free_ops;
    bool in_region;
    _Atomic bool idle;              // its thread has ended
    struct cw_handle_thread *next;  // all
} cw_handle_thread_t;
/** Never freed, as replies may come after the thread's end: another thread gets it then. */
cw_handle_thread_t *cw_handle_thread(void);

typedef enum cw_handle_outcome {
    CW_HANDLE_BUSY,     // another thread is at it, or no quiet could begin
    CW_HANDLE_GOES_ON,  // the quiet has begun
    CW_HANDLE_OVER      // and ended
} cw_handle_outcome_t;
/** Begins a quiet, or tests the one begun; never waits. */
cw_handle_outcome_t cw_handle_try_quiet(void);
void cw_handle_raise(_Atomic uint64_t *number, uint64_t least);
static inline bool cw_handle_op_is_pending(cw_handle_op_t *op)
{
    // pairs with the countdown of the handlers
    return atomic_load_explicit(&op->pending, memory_order_acquire) != 0;
}
/** Quiet `number` is about to begin (or has begun): implicit operations injected before complete
 *  with it or a later one. */
void cw_implicit_quiet_begins(uint64_t number, bool begun);

#endif
