// SPDX-License-Identifier: BSD-3-Clause
//
// Frames: what the library does, for observers.
//
// Without observers this costs nothing: entry points test cw_world.plain anyway, against calls
// before init and after finalize. Observers make it false and, if they want transfers, all peer
// words cold. Entry points and cold paths then open a *frame*: what runs, since when, to which PE,
// how many bytes.
//
//     CW_WATCH(cw_watch_transfer(CW_OP_PUT, nbytes, pe));  closes at the end of the block
//
// Frames nest; only the outermost counts as the program's. Threads: each has its own. Blocking:
// cw_watch_finish only.
#ifndef CW_CORE_WATCH_H
#define CW_CORE_WATCH_H

#include "base/compiler.h"
#include "core/observe/observer.h"
#include "core/world/world.h"

/** Only between init and finalize. `name` lives for ever. */
cw_frame_t *cw_watch_call(const char *name);
/** For a routine that any thread may call at any time. */
cw_frame_t *cw_watch_query(const char *name) CW_COLD;
cw_frame_t *cw_watch_transfer(cw_op_t op, size_t nbytes, int pe);
/** name: lives as long as the frame, with a trace for ever. */
cw_frame_t *cw_watch_wait(const char *name);
/** A request or reply, by its client's name. */
cw_frame_t *cw_watch_message(const char *name, size_t nbytes, int pe) CW_COLD;
void cw_watch_message_sent(const cw_message_t *msg) CW_COLD;
/** For a credit, or for room at the target. */
void cw_watch_message_waits(bool for_room) CW_COLD;
cw_frame_t *cw_watch_handler(const cw_message_t *msg) CW_COLD;
void cw_watch_end(cw_frame_t *frame);

/** Adds to the running routine's bytes, in collectives. */
void cw_watch_bytes(size_t nbytes) CW_COLD;
/** The program's routine in this thread, or NULL. */
const char *cw_watch_running(void);
/** Source of the message that this thread handles; -1: none, or unobserved. */
int cw_watch_handling(void);

void cw_watch_sleeps(struct cw_wait *wait) CW_COLD;

/** Open frames of this thread. */
extern _Thread_local int cw_watch_depth CW_HIDDEN CW_INITIAL_EXEC;
/** Checks observe and no observer wants times: frames are for messages only. */
extern bool cw_watch_untimed CW_HIDDEN;
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

/** As above without a result, for programs that are not plain: returns if `done` in that frame. */
#define CW_WATCH_OR(begin, done)                             \
    cw_frame_t *cw_frame_ CW_CLEANUP(cw_watch_leave) = NULL; \
    if (CW_UNLIKELY(!cw_world.plain)) {                      \
        cw_frame_ = (begin);                                 \
        if (done)                                            \
            return;                                          \
    }

/** Opens the observers of a table, which ends with NULL, before peer tables are made; keeps active
 *  ones. */
int cw_watch_open(const cw_observer_t *const observers[]);
/** The job is joined: the time since the start is a frame. */
void cw_watch_started(const char *name);
/** At the end of the job, while PEs reach each other: observers finish. Collective. [waits] */
void cw_watch_finish(void);
void cw_watch_close(void);

#endif
