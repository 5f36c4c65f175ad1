// SPDX-License-Identifier: BSD-3-Clause
//
// What a waiting PE polls, for itself and for other PEs. The rooms above register their functions
// here when they open; core/progress calls them and knows none of these rooms.
//
// One round of a wait (wait.c) calls, in this order:
//   1. run_messages     handlers of active messages that have arrived, unless the wait is deaf
//   2. poll_replies     this PE's own connections, where a reply to a message is expected there
//   3. poll_server      the node server of this process
//   4. advance          transfers in flight of this PE, now and then
//
// No pointer is NULL: until its room registers, a function does nothing.
// core/rma calls the notification hooks, on the connections of the default context.
//
// Threads: a function pointer is written while its room opens, before other threads wait;
// messages_on may change later, while other threads wait.
#ifndef CW_CORE_HOOKS_H
#define CW_CORE_HOOKS_H

#include "base/compiler.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Where a PE expects replies to its messages. */
typedef enum cw_awaits {
    CW_AWAITS_NONE,       // no request is under way, or all replies come through the node server
    CW_AWAITS_REPLY,      // they may come over this PE's own connections
    CW_AWAITS_REPLY_HERE  // the last one did
} cw_awaits_t;

struct cw_wait;

typedef struct cw_progress_hooks {
    // ---- core/am
    _Atomic bool messages_on;  // messages are open: the next two have something to do
    /** Runs handlers of messages that have arrived; returns how many. full: also of messages behind
     *  an unfinished one. */
    int (*run_messages)(bool full);
    /** full: takes in all acknowledgements first. */
    cw_awaits_t (*awaits_replies)(bool full);
    /** The default context opens its client: how many notifications of node servers
     *  (transport.h: server_notify) may be under way on a connection; 0: none will ever come. */
    uint32_t (*notifications)(void);
    void (*notified)(void *arg, int node, const void *bytes, size_t nbytes);
    bool (*notification_due)(void *arg, int node);  // see cwt_client_config_t

    // ---- core/rma
    /** Polls the connections of the default context; how many events. */
    int (*poll_replies)(void);
    /** A wait begins: sends what this PE holds back. */
    void (*pause)(void);
    /** Might `advance` find something to do? */
    bool (*in_flight)(void);
    /** One step for all that this thread has in flight. Returns whether this PE has connections,
     *  whose loss only such steps find. */
    bool (*advance)(void);

    // ---- core/server
    /** Polls the node server; how many events. */
    int (*poll_server)(void);
    /** This PE is about to sleep: the server's own thread must not wait for its polls. */
    void (*leave_server)(void);
    /** poll_server is all that moves the server (ops->threads_serve): sleeps are short. May be set
     *  while this PE waits. */
    _Atomic bool alone_serves;

    // ---- core/forward
    /** The PE that hosts the node server has left a request in its outbox. */
    void (*forward_left)(void);

    // ---- front ends
    /** From the front end's waits, and now and then from polls that find nothing: carries on what
     *  the front end does without the attention of its callers. May transfer, and wait for that. */
    void (*attend)(void);

    // ---- core/report
    /** A PE of the job has come to its end before the others (core/report/early.h): says what this
     *  one waits for. To be called before each sleep then. */
    void (*explain)(struct cw_wait *w);
    /** A wait that is marked as reported has ended. */
    void (*moved)(struct cw_wait *w);
    /** This thread has tested for something in a loop for so long, and has not found it. */
    void (*polled)(uint64_t ns);

    // ---- core/life
    /** Do the other processes of this node live, and the launcher's? To be called before each
     *  sleep; returns within which time it wants to be called again. */
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
