// SPDX-License-Identifier: BSD-3-Clause
//
// Ports: a context's way off the node, opened at first need: a client of the transport, its
// connections (one per node touched) and target records. Up to CAUSEWAY_CTX_ENDPOINTS contexts have
// their own; others share the default one.
//
// Threads: below THREAD_MULTIPLE nothing is locked. With it a port is `locked` unless its context
// is private: the transport takes calls from several threads at once, and port->lock, no other,
// guards tables, connections, sessions, and each context's quiet. What exists once, beside the
// default port, says CW_GUARDED_BY(cw_port_default.lock).
#ifndef CW_CORE_PORT_H
#define CW_CORE_PORT_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/compiler.h"
#include "transport/transport.h"

typedef struct CW_LOCK_TYPE cw_port_lock {
    pthread_mutex_t mutex;
} cw_port_lock_t;

/** What a port's quiet or fence does beside the transport's. The low bits are the collector's
 *  (CW_BUNDLES_..., core/collect/collect.h). */
enum {
    CW_DUE_PATHS = 16,   // some paths collect
    CW_DUE_ROUTED = 32,  // requests are routed, so drained apart
};

typedef struct cw_port {
    cw_port_lock_t lock;
    _Atomic uint8_t due;     // CW_BUNDLES_..., CW_DUE_...; read without the lock
    bool locked;
    bool trying;             // a quiet in two steps has begun (order.c),
    bool landed;             // and what goes straight is complete
    uint64_t drain;          // of what is routed
    bool spare;              // without a context; guarded by the list of ports
    struct cw_port *next;    // of ports with a client
    cwt_client_t *client;    // NULL until first used
    cwt_conn_t **conn;       // [nnodes], NULL until touched
    struct cw_path **paths;  // [nnodes][slot] (path.h), NULL until touched
    uintptr_t last_put;      // warm word of the last scalar put by a cold one; any thread's
    uint32_t streamed;       // scalar puts since the quiet, in steps (path.c),
    uint32_t injected;       // of these direct ones,
    uint32_t stream_pauses;  // bundles' pauses at the last step
    // what core/bulk/stage.c keeps, NULL until used, and its end
    struct cw_stage_port *stage;
    void (*forget)(struct cw_port *port);
} cw_port_t;

extern cw_port_t cw_port_default CW_HIDDEN;
#define CW_DEFAULT_PORT_GUARDS CW_GUARDED_BY(cw_port_default.lock)
#define CW_DEFAULT_PORT_HELD CW_REQUIRES(cw_port_default.lock)

/** Locks a `locked` port. */
static inline void cw_port_enter(cw_port_t *port) CW_ACQUIRES(port->lock) CW_LOCK_UNCHECKED;
static inline void cw_port_leave(cw_port_t *port) CW_RELEASES(port->lock) CW_LOCK_UNCHECKED;
/** False: a thread has it, perhaps this one. */
static inline bool cw_port_try_enter(cw_port_t *port) CW_TRY_ACQUIRES(port->lock) CW_LOCK_UNCHECKED;
/** The caller knows that the lock it holds is this port's. */
static inline void cw_port_held(const cw_port_t *port) CW_ASSERTS(port->lock);

static inline void cw_port_enter(cw_port_t *port)
{
    if (CW_UNLIKELY(port->locked))
        pthread_mutex_lock(&port->lock.mutex);
}

static inline void cw_port_leave(cw_port_t *port)
{
    if (CW_UNLIKELY(port->locked))
        pthread_mutex_unlock(&port->lock.mutex);
}

static inline bool cw_port_try_enter(cw_port_t *port)
{
    return !port->locked || pthread_mutex_trylock(&port->lock.mutex) == 0;
}

static inline void cw_port_held(const cw_port_t *port)
{
    (void)port;
}

/** Reads at any time; writes under the lock. */
static inline unsigned cw_port_due(const cw_port_t *port)
{
    return atomic_load_explicit(&port->due, memory_order_acquire);
}

/** Is any of `what`, a constant, due? */
static CW_ALWAYS_INLINE bool cw_port_owes(const cw_port_t *port, unsigned what)
{
    bool any;
#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__)  // an atomic load is one more
    __asm__("testb %2, %1" : "=@ccne"(any) : "m"(port->due), "qi"((uint8_t)what));
#else
    any = (cw_port_due(port) & what) != 0;
#endif
    return any;
}

static inline void cw_port_owe(cw_port_t *port, unsigned due)
{
    atomic_store_explicit(&port->due, (uint8_t)(cw_port_due(port) | due), memory_order_release);
}

static inline void cw_port_settle(cw_port_t *port, unsigned due)
{
    atomic_store_explicit(&port->due, (uint8_t)(cw_port_due(port) & ~due), memory_order_release);
}

/** A spare port of this kind, or a new one. NULL: the limit of endpoints is reached, or no
 *  memory. */
cw_port_t *cw_port_take(bool locked);
/** It has a client from here on. */
void cw_port_opened(cw_port_t *port);
/** Nothing is in flight. The port becomes a spare (ADR 46), or closes if it never left the node or
 *  something on it failed. */
void cw_port_give(cw_port_t *port);
/** Nothing may be in flight. */
void cw_port_close(cw_port_t *port);
/** Any thread. False: there is none. */
bool cw_port_close_spare(void);
/** Of all clients since the job was joined, closed ones included. */
void cw_port_stats(cwt_stats_t *sum_p);
void cw_port_stats_begin(void);
/** A put that the transport did not count. */
void cw_port_count_put(void);

#endif
