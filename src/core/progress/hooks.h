// SPDX-License-Identifier: BSD-3-Clause
//
// What a waiting PE polls. Rooms above register their functions when they open; until then each
// does nothing. A round of a wait calls run_messages, poll_replies, poll_server and advance, in
// this order. Threads: pointers are written while rooms open, before other threads wait;
// messages_on may change later.
#ifndef CW_CORE_HOOKS_H
#define CW_CORE_HOOKS_H

#include "base/compiler.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum cw_awaits {
    CW_AWAITS_NONE,       // nowhere, or all through the node server
    CW_AWAITS_REPLY,      // perhaps on its own connections
    CW_AWAITS_REPLY_HERE  // the last one came there
} cw_awaits_t;

struct cw_wait;

typedef struct cw_progress_hooks {
    // ---- core/am
    _Atomic bool messages_on;  // messages are open
    /** Runs handlers of messages that have arrived; returns how many. full: also behind an
     *  unfinished message. */
    int (*run_messages)(bool full);
    /** full: takes in all acknowledgements first. */
    cw_awaits_t (*awaits_replies)(bool full);
    /** For the default context's client, as the next two: how many notifications of node servers
     *  may be under way on a connection; 0: none will ever come. */
    uint32_t (*notifications)(void);
    void (*notified)(void *arg, int node, const void *bytes, size_t nbytes);
    bool (*notification_due)(void *arg, int node);  // see cwt_client_config_t

    // ---- core/rma
    /** Polls the default context's connections; returns the number of events. */
    int (*poll_replies)(void);
    /** A wait begins: sends what this PE holds back. */
    void (*pause)(void);
    /** Might `advance` find something to do? */
    bool (*in_flight)(void);
    /** One step for what this thread has in flight. True: this PE has connections, whose loss only
     *  this finds. */
    bool (*advance)(void);

    // ---- core/server
    /** Returns the number of events. */
    int (*poll_server)(void);
    /** Before a sleep: the server's thread must not wait for this PE's polls. */
    void (*leave_server)(void);
    /** Only poll_server moves the server: sleeps are short. May be set while this PE waits. */
    _Atomic bool alone_serves;

    // ---- core/forward
    /** The PE that hosts the node server has left a request in its outbox. */
    void (*forward_left)(void);

    // ---- front ends
    /** Carries on what the front end does without its callers; from waits and some idle polls. May
     *  transfer, and wait for that. */
    void (*attend)(void);

    // ---- core/report
    /** Before each sleep once a PE has ended early (core/report/early.h): says what this one waits
     *  for. */
    void (*explain)(struct cw_wait *w);
    /** A wait that is marked as reported has ended. */
    void (*moved)(struct cw_wait *w);
    /** This thread has tested in vain for so long. */
    void (*polled)(uint64_t ns);

    // ---- core/life
    /** Before each sleep: do the node's processes and the launcher's live? Returns within which
     *  time it wants to be called again. */
    uint64_t (*mind_neighbours)(void);
} cw_progress_hooks_t;

extern cw_progress_hooks_t cw_progress_hooks CW_HIDDEN;

static inline bool cw_progress_alone_serves(void)
{
    return atomic_load_explicit(&cw_progress_hooks.alone_serves, memory_order_relaxed);
}

static inline bool cw_progress_has_messages(void)
{
    return atomic_load_explicit(&cw_progress_hooks.messages_on, memory_order_relaxed);
}

#endif
