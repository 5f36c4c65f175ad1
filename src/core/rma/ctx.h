// SPDX-License-Identifier: BSD-3-Clause
//
// Contexts behind their public face (core/rma/hot.h, core/core.h): ports, first contact, what cold
// paths do.
//
// A port is a context's way off the node: a client of the transport, opened at the first operation
// that needs it, its connections (one per node touched) and the target records. Up to
// CAUSEWAY_CTX_ENDPOINTS contexts have one each; the others share the default context's.
//
// Threads: below THREAD_MULTIPLE nothing is locked. With it, a port is `locked` unless it belongs
// to a private context: the transport then takes calls from several threads at once, and port->lock
// guards what core keeps: tables, connections, sessions, and each context's quiet.
#ifndef CW_CORE_CTX_H
#define CW_CORE_CTX_H

#include <pthread.h>

#include "core/mem/gather.h"
#include "core/observe/watch.h"
#include "core/rma/context.h"
#include "transport/transport.h"

typedef struct cw_port {
    pthread_mutex_t lock;
    bool locked;
    bool trying;             // a quiet in two steps has begun (core/rma/rma.c)
    struct cw_port *next;    // of those that have a client
    cwt_client_t *client;    // NULL until the first operation that leaves the node
    cwt_conn_t **conn;       // [nnodes], NULL until touched; allocated with the client
    cwt_target_t **targets;  // [nnodes] arrays of one record per slot, NULL until touched
} cw_port_t;

extern cw_port_t cw_port_default;
/** NULL: no memory. */
cw_port_t *cw_port_create(bool locked);
/** Closes the client, if there is one; what was in flight must be done. */
void cw_port_close(cw_port_t *port);
void cw_port_destroy(cw_port_t *port);
/** What the clients of all ports have done since the job was joined, those that were closed
 *  included. */
void cw_port_stats(cwt_stats_t *sum_p);
void cw_port_stats_begin(void);

/** A room that takes notifications of node servers to this PE (transport.h: server_tell), on the
 *  connections of the default context. */
typedef struct cw_port_sink {
    /** The client is being opened: how many notifications of a connection may be under way; 0: none
     *  will ever come. */
    uint32_t (*open)(void);
    void (*notified)(void *arg, int node, const void *bytes, size_t nbytes);
    bool (*due)(void *arg, int node);  // see cwt_client_config_t
} cw_port_sink_t;
/** One room, so far; before the first transfer off the node. sink must live on. */
void cw_port_sink(const cw_port_sink_t *sink);

/** `last` of a context while a quiet is under way: others that come meanwhile must not take it for
 *  idle. */
#define CW_CTX_EMPTYING ((uintptr_t)3)

/** The default context's tables; after placement and segment. */
int cw_ctx_open(void);
/** What is left is destroyed; then calls find "not initialised". cw_ctx_destroy_all comes first,
 *  when the network is still up. */
void cw_ctx_shut(void);
void cw_ctx_destroy_all(void);

/** Before an operation's failure ends the job: a connection that was lost has mostly lost a PE, and
 *  who saw that PE end ends the job with a better message and the right status. Gives it two
 *  seconds; returns at once for other errors. */
void cw_lost_grace(int rc);

/** Locks the context's port if several threads may use it. */
static inline void cw_ctx_enter(cw_ctx_t *ctx)
{
    if (CW_UNLIKELY(ctx->port->locked))
        pthread_mutex_lock(&ctx->port->lock);
}

static inline void cw_ctx_leave(cw_ctx_t *ctx)
{
    if (CW_UNLIKELY(ctx->port->locked))
        pthread_mutex_unlock(&ctx->port->lock);
}

/** Connects to the node of this rank if need be and returns its record. Fatal when that fails.
 *  Takes the lock. */
cwt_target_t *cw_ctx_connect(cw_ctx_t *ctx, int rank);
/** CAUSEWAY_CONNECT=static: connects to all nodes now instead of at first use. */
void cw_ctx_connect_all(void);
/** The connection to a node. Lock held. */
cwt_conn_t *cw_ctx_conn(cw_ctx_t *ctx, int node);
/** Gives a context that leaves the node a table of its own, with all that it knew in it. Lock
 *  held. */
uintptr_t *cw_ctx_own_words(cw_ctx_t *ctx);
/** Chooses the tables that calls look at: the truth, or one that is cold (checking, sessions). Lock
 *  held. */
void cw_ctx_point(cw_ctx_t *ctx);
/** Makes sure that there is a table without connections, for sessions. Lock held. */
int cw_ctx_need_base(cw_ctx_t *ctx);

/** After a quiet, a context created with NOSTORE watches for its own first store; see
 *  core/rma/ctx.c. */
void cw_ctx_rearm(cw_ctx_t *ctx);
extern cw_node_hot_t cw_ctx_unstored;

static inline int cw_ctx_pe(const cw_ctx_t *ctx, int rank)
{
    return ctx->listed ? ctx->pes[rank] : ctx->start + rank * ctx->stride;
}

/** A table of peer words, all of one kind; also those of CW_GUARD_WORDS PEs below 0 and above the
 *  last, so that a PE that does not exist leads to a message and not to some memory. */
#define CW_GUARD_WORDS 256
uintptr_t *cw_words_create(int npes, uintptr_t word);
void cw_words_destroy(uintptr_t *words);
/** Fills in the deltas of the PEs of this node, for the ranks of a context. After cw_gather(). */
void cw_words_local(uintptr_t *words, const cw_ctx_t *ctx);
/** The same for the default context, whose table was made before all had come. Any thread. */
void cw_ctx_gathered(void);

/** Life cycle, PE, count and symmetric memory. Fatal when something is wrong. */
void cw_validate(const char *call, const void *symmetric, size_t nbytes, int pe);
/** What is particular to a context: whether it lives, its team, its thread. Fatal when something is
 *  wrong. */
void cw_ctx_validate(const cw_ctx_t *ctx, const char *call, int rank);
/** The frame of a transfer through a context (core/observe/watch.h), with the checks of both. */
cw_frame_t *cw_ctx_watch(const cw_ctx_t *ctx, cw_op_t op, const void *symmetric, const void *local,
                         size_t nbytes, int rank);

/** The general route to `rank`, for a cold path that has opened its frame (CW_WATCH): connects if need
 *  be. NULL: its memory is mapped here, at *delta_p. No lock held. */
static inline cwt_target_t *cw_reach(cw_ctx_t *ctx, const char *call, int rank, uintptr_t *delta_p)
{
    if (CW_UNLIKELY(rank < 0 || rank >= ctx->size))
        cw_ctx_validate(ctx, call, rank);
    cw_gather();
    uintptr_t word =
        __atomic_load_n(&__atomic_load_n(&ctx->word, CW_DEPENDED_ON)[rank], CW_DEPENDED_ON);
    if (cw_word_is_local(word)) {
        *delta_p = word;
        return NULL;
    }
    cwt_target_t *target = cw_warm_target(word);
    return target ? target : cw_ctx_connect(ctx, rank);
}

static inline void cw_ctx_mark(cw_ctx_t *ctx)
{
    cw_ctx_mark_word(ctx, CW_COLD_WORD);
}

/** Says that a transfer failed, and ends the job. */
noreturn void cw_ctx_failed(int rc, const char *call, const cw_ctx_t *ctx, int rank)
    __attribute__((cold));
/** A failed transfer ends the job; the transport has said why. */
static inline void cw_must(int rc, const char *call, int pe)
{
    if (CW_UNLIKELY(rc))
        cwu_fatal("%s to PE %d failed (%s)", call, pe, cwu_error_name(rc));
}

/** The same to a rank of a context's team. */
static inline __attribute__((always_inline)) void cw_ctx_must(int rc, const char *call,
                                                              const cw_ctx_t *ctx, int rank)
{
    if (CW_UNLIKELY(rc))
        cw_ctx_failed(rc, call, ctx, rank);
}

#endif
