// SPDX-License-Identifier: BSD-3-Clause
//
// Who looks on while the library works: checks, statistics, trace, deadlock report.
//
// When nobody does, looking on costs nothing: cw_world.plain, which every entry point tests to
// notice calls before init and after finalize, is false while somebody does; and the peer words are
// all cold, so that every transfer takes a cold path. Entry points and cold paths then open a
// *frame*: what runs, since when, to whom, with how many bytes.
//
//     CW_WATCH(cw_watch_transfer(CW_OP_PUT, dest, src, nbytes, pe));     closes when the block is left
//
// Frames nest: a wait inside a routine, a put that a routine makes for itself. Only the outermost
// one counts as a call or a transfer of the program. Threads: each has frames of its own. Blocking:
// never.
#ifndef CW_CORE_WATCH_H
#define CW_CORE_WATCH_H

#include "core/am/am.h"
#include "core/world/world.h"

/** What a frame is. The transfers come first; watch.c names them. */
typedef enum cw_op {
    CW_OP_PUT,
    CW_OP_PUT_NBI,
    CW_OP_P,
    CW_OP_PUT_STRIDED,
    CW_OP_PUT_SIGNAL,
    CW_OP_GET,
    CW_OP_GET_NBI,
    CW_OP_G,
    CW_OP_GET_STRIDED,
    CW_OP_ATOMIC,        // nothing comes back
    CW_OP_ATOMIC_FETCH,
    CW_OP_ATOMIC_NBI,    // a fetch that completes with quiet
    CW_OP_TRANSFERS,     // how many they are
    CW_OP_CALL = CW_OP_TRANSFERS,  // any other routine
    CW_OP_WAIT,
    CW_OP_HANDLER  // of an active message
} cw_op_t;

typedef struct cw_frame {
    const char *name;
    uint64_t start_ns;   // 0 when nobody wants times
    uint64_t waited_ns;  // in waits inside it
    size_t nbytes;
    int pe;              // -1: none
    cw_op_t op;
} cw_frame_t;

/** The kind of a transfer, for people: "put", "atomic fetch". */
const char *cw_op_name(cw_op_t op);

/** A routine begins. `name` must live for ever. Only between init and finalize. */
cw_frame_t *cw_watch_call(const char *name) __attribute__((cold));
/** A transfer begins: checks life cycle and arguments, fatal when they are wrong. `local` is the
 *  buffer here, NULL when the value travels in registers (P, G, atomics). */
cw_frame_t *cw_watch_transfer(cw_op_t op, const void *symmetric, const void *local, size_t nbytes,
                              int pe) __attribute__((cold));
/** A wait begins; its name need not live longer than the frame unless a trace is being written. */
cw_frame_t *cw_watch_wait(const char *name) __attribute__((cold));
/** A request or reply begins (core/am/am.h); its client's name for the call. */
cw_frame_t *cw_watch_message(const char *name, size_t nbytes, int pe) __attribute__((cold));
/** It was sent. */
void cw_watch_message_sent(bool is_reply, cw_am_kind_t kind, size_t nbytes, int pe)
    __attribute__((cold));
/** A request waits for a credit, or for room at the target. */
void cw_watch_message_waits(bool for_room) __attribute__((cold));
/** The handler of a message begins. */
cw_frame_t *cw_watch_handler(const cw_am_msg_t *msg) __attribute__((cold));
void cw_watch_end(cw_frame_t *frame) __attribute__((cold));

/** Adds to the bytes of the routine that runs, in collectives. */
void cw_watch_bytes(size_t nbytes) __attribute__((cold));
/** The routine of the program that runs in this thread, or NULL. */
const char *cw_watch_running(void);

static inline __attribute__((always_inline)) void cw_watch_leave(cw_frame_t **frame)
{
    if (CW_UNLIKELY(*frame != NULL))
        cw_watch_end(*frame);
}

#define CW_WATCH(begin)                                                          \
    cw_frame_t *cw_frame_ __attribute__((cleanup(cw_watch_leave), unused)) =     \
        CW_UNLIKELY(!cw_world.plain) ? (begin) : NULL

/** Reads the settings; says what is on. Before the peer tables are made. */
int cw_watch_open(void);
/** shmem_init is over: a span of its own. */
void cw_watch_started(void);
/** The end of the job, while all PEs can still reach each other: leaks, statistics, trace.
 *  Collective. */
void cw_watch_finish(void);
void cw_watch_close(void);

#endif
