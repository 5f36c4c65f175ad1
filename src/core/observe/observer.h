// SPDX-License-Identifier: BSD-3-Clause
//
// Observers: statistics, trace, deadlock report and checks, each a const record of functions in
// core/life's table. Idle ones are not called until the next join; without active ones nothing
// costs an instruction. Threads: open, finish and close by the one that joins and leaves, others by
// any. Blocking: finish may wait.
#ifndef CW_CORE_OBSERVER_H
#define CW_CORE_OBSERVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"

/** What a frame is; transfers first. ops.c names them. */
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
    CW_OP_ATOMIC,  // without a result
    CW_OP_ATOMIC_FETCH,
    CW_OP_ATOMIC_NBI,              // a fetch that completes with quiet
    CW_OP_TRANSFERS,               // their number
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
    uint64_t start_ns;   // 0: no observer wants times
    uint64_t waited_ns;  // in waits inside it
    size_t nbytes;
    int pe;  // -1: none
    cw_op_t op;
    uint64_t event;  // index in the trace + 1; 0: none
} cw_frame_t;

typedef enum cw_message_kind {
    CW_MESSAGE_SHORT,
    CW_MESSAGE_MEDIUM,
    CW_MESSAGE_LONG,
    CW_MESSAGE_KINDS
} cw_message_kind_t;

typedef struct cw_message {
    cw_message_kind_t kind;
    bool is_reply, is_routed;  // by a topology
    int pe;                    // target of a sent one, source of a handled one
    size_t nbytes;
} cw_message_t;

/** What an observer needs. */
enum {
    CW_OBSERVES = 1,            // to be active
    CW_OBSERVES_TRANSFERS = 2,  // every transfer: all peer words are cold
    CW_OBSERVES_TIMES = 4       // frames with times: `began`, `ended`
};

struct cw_wait;

typedef struct cw_observer {
    /** Reads its settings. *wants_p: CW_OBSERVES..., or 0: idle. 0, or a negative error,
     *  reported. */
    int (*open)(unsigned *wants_p);

    // NULL: not interested
    /** Not for the start of the job. */
    void (*began)(cw_frame_t *frame);
    /** After ns; outermost: in no other frame. */
    void (*ended)(const cw_frame_t *frame, uint64_t ns, bool outermost);
    void (*message_sent)(const cw_message_t *msg);
    void (*message_handled)(const cw_message_t *msg);  // before its handler runs
    /** For a credit, or for room at the target. */
    void (*message_waits)(bool for_room);
    /** Before each sleep of a waiting thread. */
    void (*sleeps)(struct cw_wait *wait);
    /** At the job's end, while PEs reach each other. Collective; may wait. */
    void (*finish)(void);
    /** After this PE has left. */
    void (*close)(void);
} cw_observer_t;

#endif
