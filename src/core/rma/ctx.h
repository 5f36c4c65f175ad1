// SPDX-License-Identifier: BSD-3-Clause
//
// Contexts behind their public face (core/rma/context.h): life, locks, first contact, and what cold
// paths of operations share.
#ifndef CW_CORE_CTX_H
#define CW_CORE_CTX_H

#include <stdnoreturn.h>

#include "core/mem/gather.h"
#include "core/rma/check.h"
#include "core/rma/context.h"
#include "core/rma/port.h"
#include "core/rma/words.h"

/** `last` of a context while a quiet is under way: for other threads the context is not idle. */
#define CW_CTX_EMPTYING ((uintptr_t)3)

/** The default context's tables; after placement and segment. */
int cw_ctx_open(void);
/** What is left is destroyed; then calls find "not initialised". cw_ctx_destroy_all comes first,
 *  when the network is still up. */
void cw_ctx_shut(void);
void cw_ctx_destroy_all(void);
/** From here on every transfer of any context takes a cold path, until the job ends: symmetric
 *  memory of devices appears. CW_ENOMEM: not reported, nothing is changed. While no other thread of
 *  the process is in the library. */
int cw_ctx_go_cold(void);

/** Before the failure of an operation, or of the node server, ends the job. A lost connection
 *  mostly means that a PE has ended, and the launcher, which saw it, ends the job with a better
 *  message and the right status: this waits half a second for that, and returns at once for other
 *  errors. */
void cw_lost_grace(int rc);

/** Locks the context's port if several threads may use it. */
static inline void cw_ctx_enter(cw_ctx_t *ctx) CW_ACQUIRES(ctx->port->lock);
static inline void cw_ctx_leave(cw_ctx_t *ctx) CW_RELEASES(ctx->port->lock);

static inline void cw_ctx_enter(cw_ctx_t *ctx)
{
    cw_port_enter(ctx->port);
}

static inline void cw_ctx_leave(cw_ctx_t *ctx)
{
    cw_port_leave(ctx->port);
}

/** Connects to the node of this rank if need be and returns its record. Fatal when that fails.
 *  Takes the lock. */
cwt_target_t *cw_ctx_connect(cw_ctx_t *ctx, int rank);
/** CAUSEWAY_CONNECT=static: connects to all nodes now instead of at first use. */
void cw_ctx_connect_all(void);
/** The connection to a node. Lock held. */
cwt_conn_t *cw_ctx_conn(cw_ctx_t *ctx, int node);
/** After a quiet, a context created with NOSTORE watches for its own first store; see
 *  core/rma/ctx.c. */
void cw_ctx_rearm(cw_ctx_t *ctx);
extern cw_node_hot_t cw_ctx_unstored;

static inline int cw_ctx_pe(const cw_ctx_t *ctx, int rank)
{
    return ctx->listed ? ctx->pes[rank] : ctx->start + rank * ctx->stride;
}

static inline int cw_ctx_node(const cw_ctx_t *ctx, int rank)
{
    return cw_world.node_of_pe[cw_ctx_pe(ctx, rank)];
}

/** The general route to `rank`, for a cold path that has opened its frame (CW_WATCH): connects if
 *  need be. NULL: its memory is mapped here, at *delta_p. No lock held. */
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
noreturn void cw_ctx_failed(int rc, const char *call, const cw_ctx_t *ctx, int rank) CW_COLD;
/** The same; pe: -1 where it is not known. */
noreturn void cw_failed(int rc, const char *call, int pe) CW_COLD;
/** A failed transfer ends the job; the transport has said why. */
static inline void cw_must(int rc, const char *call, int pe)
{
    if (CW_UNLIKELY(rc))
        cw_failed(rc, call, pe);
}

/** The same to a rank of a context's team. */
static CW_ALWAYS_INLINE void cw_ctx_must(int rc, const char *call, const cw_ctx_t *ctx, int rank)
{
    if (CW_UNLIKELY(rc))
        cw_ctx_failed(rc, call, ctx, rank);
}

#endif
