// SPDX-License-Identifier: BSD-3-Clause
//
// Frames: what the library does, for observers (core/observe/observer.h).
//
// Without an active observer observing costs nothing: entry points test cw_world.plain anyway, to
// catch calls before init and after finalize. With one, cw_world.plain is false; and if an observer
// wants every transfer, all peer words are cold, so that every transfer takes a cold path. Entry
// points and cold paths then open a *frame*: what runs, since when, to which PE, how many bytes.
//
//     CW_WATCH(cw_watch_transfer(CW_OP_PUT, dest, src, nbytes, pe));  closes when the block is left
//
// Frames nest: a wait inside a routine, a put that a routine makes for itself. Only the outermost
// one counts as a call or a transfer of the program. Threads: each has frames of its own. Blocking:
// never.
#ifndef CW_CORE_WATCH_H
#define CW_CORE_WATCH_H

#include "base/compiler.h"
#include "core/observe/observer.h"
#include "core/world/world.h"

/** A routine begins. `name` must live for ever. Only between init and finalize. */
cw_frame_t *cw_watch_call(const char *name);
/** A routine that any thread may call at any time begins. */
cw_frame_t *cw_watch_query(const char *name) CW_COLD;
/** A transfer begins. */
cw_frame_t *cw_watch_transfer(cw_op_t op, size_t nbytes, int pe);
/** A wait begins; its name need not live longer than the frame unless a trace is being written. */
cw_frame_t *cw_watch_wait(const char *name);
/** A request or reply begins; its client's name for the call. */
cw_frame_t *cw_watch_message(const char *name, size_t nbytes, int pe) CW_COLD;
/** It was sent. */
void cw_watch_message_sent(const cw_message_t *msg) CW_COLD;
/** A request waits for a credit, or for room at the target. */
void cw_watch_message_waits(bool for_room) CW_COLD;
/** The handler of a message begins. */
cw_frame_t *cw_watch_handler(const cw_message_t *msg) CW_COLD;
void cw_watch_end(cw_frame_t *frame);

/** Adds to the bytes of the routine that runs, in collectives. */
void cw_watch_bytes(size_t nbytes) CW_COLD;
/** The routine of the program that runs in this thread, or NULL. */
const char *cw_watch_running(void);
/** The source of the message whose handler runs in this thread; -1: none. Known while observed. */
int cw_watch_handling(void);

/** A waiting thread is about to sleep. */
void cw_watch_sleeps(struct cw_wait *wait) CW_COLD;

/** Frames of this thread that are open. */
extern _Thread_local int cw_watch_depth CW_HIDDEN CW_INITIAL_EXEC;
/** Checks observe, and no observer wants times: then frames are for messages alone. */
extern bool cw_watch_untimed CW_HIDDEN;
/** Does no routine of the program run in this thread? */
static CW_ALWAYS_INLINE bool cw_watch_is_outermost(void)
{
    return cw_watch_depth == 0;
}

static CW_ALWAYS_INLINE void cw_watch_leave(cw_frame_t **frame)
{
    if (CW_UNLIKELY(*frame != NULL))
        cw_watch_end(*frame);
}

#define CW_WATCH(begin)                                          \
    cw_frame_t *cw_frame_ CW_CLEANUP(cw_watch_leave) CW_UNUSED = \
        CW_UNLIKELY(!cw_world.plain) ? (begin) : NULL

/** The same in a function without a result; `done` says, in that frame, that there is nothing else
 *  to do. For what only programs that are not plain may meet. */
#define CW_WATCH_OR(begin, done)                             \
    cw_frame_t *cw_frame_ CW_CLEANUP(cw_watch_leave) = NULL; \
    if (CW_UNLIKELY(!cw_world.plain)) {                      \
        cw_frame_ = (begin);                                 \
        if (done)                                            \
            return;                                          \
    }

/** Opens the observers of a table that ends with NULL, in its order, and keeps the active ones.
 *  Before the peer tables are made. */
int cw_watch_open(const cw_observer_t *const observers[]);
/** The job is joined: the time since the start is a frame of its own. */
void cw_watch_started(const char *name);
/** The end of the job, while all PEs can still reach each other. Collective. [waits] */
void cw_watch_finish(void);
void cw_watch_close(void);

#endif
