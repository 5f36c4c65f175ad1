// SPDX-License-Identifier: BSD-3-Clause
//
// Observers: statistics, trace, deadlock report and checks. Each is one const record of functions;
// core/life passes the table of all to cw_watch_open when the job is joined. An observer that its
// settings leave idle says so in its open and is never called again until the next join.
//
// While no observer is active nothing here costs an instruction (core/observe/watch.h). Threads:
// open, finish and close are called by the thread that joins and leaves the job, the others by any
// thread. Blocking: finish may wait.
#ifndef CW_CORE_OBSERVER_H
#define CW_CORE_OBSERVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"

/** What a frame is. The transfers come first; watch.c names them. */
typedef enum cw_op {
    CW_OP_PUT,
    CW_OP_PUT_NBI,
    CW_OP_P,
    CW_OP_PUT_STRIDED,
    CW_OP_PUT_SIGNAL,
    CW_OP_ACCUMULATE,
    CW_OP_GET,
    CW_OP_GET_NBI,
    CW_OP_G,
    CW_OP_GET_STRIDED,
    CW_OP_ATOMIC,  // nothing comes back
    CW_OP_ATOMIC_FETCH,
    CW_OP_ATOMIC_NBI,              // a fetch that completes with quiet
    CW_OP_TRANSFERS,               // how many they are
    CW_OP_CALL = CW_OP_TRANSFERS,  // any other routine
    CW_OP_WAIT,
    CW_OP_HANDLER  // of an active message
} cw_op_t;

extern const char *const cw_op_names[] CW_HIDDEN;
/** For people: "put", "atomic_fetch". */
static inline const char *cw_op_name(cw_op_t op)
{
    return cw_op_names[op];
}

typedef struct cw_frame {
    const char *name;
    uint64_t start_ns;   // 0 when no observer wants times
    uint64_t waited_ns;  // in waits inside it
    size_t nbytes;
    int pe;  // -1: none
    cw_op_t op;
    uint64_t event;  // for the trace: its place there + 1; 0: none
} cw_frame_t;

/** An active message, as observers see it. */
typedef enum cw_message_kind {
    CW_MESSAGE_SHORT,
    CW_MESSAGE_MEDIUM,
    CW_MESSAGE_LONG,
    CW_MESSAGE_KINDS
} cw_message_kind_t;

typedef struct cw_message {
    cw_message_kind_t kind;
    bool is_reply, is_routed;  // that is sent along a topology
    int pe;                    // the target of one that is sent, the source of one that is handled
    size_t nbytes;
} cw_message_t;

/** What an active observer needs. */
enum {
    CW_OBSERVES = 1,            // it is active
    CW_OBSERVES_TRANSFERS = 2,  // every transfer: all peer words are cold
    CW_OBSERVES_TIMES = 4       // frames with times: `began`, `ended` are called
};

struct cw_wait;

typedef struct cw_observer {
    /** Reads its settings. Returns 0 or a negative error, reported; *wants_p: CW_OBSERVES..., or 0:
     *  idle. */
    int (*open)(unsigned *wants_p);

    // NULL: not interested.
    /** A frame begins. Not called for the start of the job. */
    void (*began)(cw_frame_t *frame);
    /** A frame has ended after ns; outermost: it is no part of another one. */
    void (*ended)(const cw_frame_t *frame, uint64_t ns, bool outermost);
    void (*message_sent)(const cw_message_t *msg);
    void (*message_handled)(const cw_message_t *msg);  // its handler is about to run
    /** A request waits for a credit, or for room at the target. */
    void (*message_waits)(bool for_room);
    /** A waiting thread is about to sleep (again). */
    void (*sleeps)(struct cw_wait *wait);
    /** The end of the job, while all PEs can still reach each other. Collective; may wait. */
    void (*finish)(void);
    /** After that, when this PE has left. */
    void (*close)(void);
} cw_observer_t;

#endif
