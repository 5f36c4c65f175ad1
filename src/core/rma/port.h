// SPDX-License-Identifier: BSD-3-Clause
//
// Ports. A port is a context's way off the node: a client of the transport, opened at the first
// operation that needs it, its connections (one per node touched) and the target records. Up to
// CAUSEWAY_CTX_ENDPOINTS contexts have one each; the others share the default context's. The port
// of a context that is destroyed is kept as a spare one for the next context (ADR 46).
//
// Threads: below THREAD_MULTIPLE nothing is locked. With it, a port is `locked` unless it belongs
// to a private context: the transport then takes calls from several threads at once, and port->lock
// guards what core keeps: tables, connections, sessions, and each context's quiet. The state of a
// port is written under the lock of that port and of no other: a thread that is in another one (a
// fence of another context) leaves it alone. What there is once, beside the default port, says so
// with CW_GUARDED_BY(cw_port_default.lock), and clang checks each use of it.
#ifndef CW_CORE_PORT_H
#define CW_CORE_PORT_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/compiler.h"
#include "transport/transport.h"

typedef struct CW_LOCK_TYPE cw_port_lock {
    pthread_mutex_t mutex;
} cw_port_lock_t;

/** The ledger of a port: what a quiet of it does beside the transport's, or a fence instead of it.
 *  The low bits are the collector's (CW_BUNDLES_..., core/collect/collect.h). */
enum {
    CW_DUE_PATHS = 16,   // some paths collect
    CW_DUE_ROUTED = 32,  // requests are routed: drained apart, and in no order with the rest
};

typedef struct cw_port {
    cw_port_lock_t lock;
    _Atomic uint8_t due;     // CW_BUNDLES_..., CW_DUE_...; may be read without the lock
    bool locked;
    bool trying;             // a quiet in two steps has begun (core/rma/order.c),
    bool landed;             // and what goes straight is complete
    uint64_t drain;          // of what is routed
    bool spare;              // no context has it; guarded by the list of ports
    struct cw_port *next;    // of those that have a client
    cwt_client_t *client;    // NULL until the first operation that leaves the node
    cwt_conn_t **conn;       // [nnodes], NULL until touched; allocated with the client
    struct cw_path **paths;  // [nnodes] arrays of one per slot (path.h), NULL until touched
    uintptr_t last_put;      // of the last scalar put that came by a cold word; any thread's
    uint32_t streamed;       // scalar puts since the last quiet, in steps (path.c),
    uint32_t injected;       // of these direct ones,
    uint32_t stream_pauses;  // and the pauses of bundles at the last step
    // what a room above keeps with the port (core/bulk/stage.c), NULL until used, and what ends it
    struct cw_stage_port *stage;
    void (*forget)(struct cw_port *port);
} cw_port_t;

extern cw_port_t cw_port_default CW_HIDDEN;
#define CW_DEFAULT_PORT_GUARDS CW_GUARDED_BY(cw_port_default.lock)
#define CW_DEFAULT_PORT_HELD CW_REQUIRES(cw_port_default.lock)

/** Locks the port if several threads may use it. */
static inline void cw_port_enter(cw_port_t *port) CW_ACQUIRES(port->lock) CW_LOCK_UNCHECKED;
static inline void cw_port_leave(cw_port_t *port) CW_RELEASES(port->lock) CW_LOCK_UNCHECKED;
/** False: another thread has it, or this one. */
static inline bool cw_port_try_enter(cw_port_t *port) CW_TRY_ACQUIRES(port->lock) CW_LOCK_UNCHECKED;
/** The caller has found out that the port whose lock it holds is this one. */
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

/** What is due now; and writes of that, under the lock. */
static inline unsigned cw_port_due(const cw_port_t *port)
{
    return atomic_load_explicit(&port->due, memory_order_acquire);
}

static inline void cw_port_owe(cw_port_t *port, unsigned due)
{
    atomic_store_explicit(&port->due, (uint8_t)(cw_port_due(port) | due), memory_order_release);
}

static inline void cw_port_settle(cw_port_t *port, unsigned due)
{
    atomic_store_explicit(&port->due, (uint8_t)(cw_port_due(port) & ~due), memory_order_release);
}

/** A port for one context: a spare one of this kind, or a new one. NULL: the limit of endpoints is
 *  reached, or no memory. */
cw_port_t *cw_port_take(bool locked);
/** Its context no longer needs it; what was in flight is done. The port becomes a spare one, or
 *  closes if it never left the node or something on it failed. */
void cw_port_give(cw_port_t *port);
/** Closes the client, if there is one; what was in flight must be done. */
void cw_port_close(cw_port_t *port);
/** Closes one spare port. Any thread. False: there is none. */
bool cw_port_close_spare(void);
/** What the clients of all ports have done since the job was joined, those that were closed
 *  included. */
void cw_port_stats(cwt_stats_t *sum_p);
void cw_port_stats_begin(void);
/** A put that the provider took without the transport, which counts all others. */
void cw_port_count_put(void);

// ---------------------------------------------------------------- control areas
//
// Of the nodes' objects, read and written by PEs of any node, on the default context. cw_node_put
// is in order with everything else that this PE sends to that node there. It leaves nothing for the
// user's next quiet to do: a caller that needs its completion waits for a reply. Both may wait. A
// node that cannot be reached ends the job.

/** Reads from the control area of any node's object, this one's included. A word of 8 bytes
 *  acquires what its writer released. */
void cw_node_read(int node, uint64_t control_offset, void *dest, size_t nbytes);
/** Writes into the control area of another node's object. */
void cw_node_put(int node, uint64_t control_offset, const void *src, size_t nbytes);

#endif
