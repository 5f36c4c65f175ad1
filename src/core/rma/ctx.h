// SPDX-License-Identifier: BSD-3-Clause
//
// Contexts' inside (core/rma/context.h): life, locks, first contact, and what cold paths share.
#ifndef CW_CORE_CTX_H
#define CW_CORE_CTX_H

#include <stdnoreturn.h>

#include "core/mem/gather.h"
#include "core/rma/check.h"
#include "core/rma/context.h"
#include "core/rma/port.h"
#include "core/rma/words.h"

/** A context's `last` during a quiet: to other threads it is not idle. */
#define CW_CTX_EMPTYING ((uintptr_t)3)

/** After placement and segment. */
int cw_ctx_open(void);
/** Destroys the rest; then calls find "not initialised". cw_ctx_destroy_all comes first, while the
 *  network is up. */
void cw_ctx_shut(void);
void cw_ctx_destroy_all(void);
/** Symmetric memory of devices appears: every transfer takes a cold path until the job ends.
 *  CW_ENOMEM: not reported, nothing changed. No other thread may be in the library. */
int cw_ctx_go_cold(void);

/** Before a failure ends the job: after a lost connection the launcher gets half a second to do so
 *  with a better message and status. Returns at once for other errors. */
void cw_lost_grace(int rc);

/** Locks the port if several threads may use it. */
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

/** Connects to the rank's node if need be; returns its record. Fatal if that fails. Takes the
 *  lock. */
cwt_target_t *cw_ctx_connect(cw_ctx_t *ctx, int rank);
/** CAUSEWAY_CONNECT=static. */
void cw_ctx_connect_all(void);
/** Connects to the node if need be; fatal if that fails. Lock held. */
cwt_conn_t *cw_ctx_conn(cw_ctx_t *ctx, int node);
/** After a quiet, a NOSTORE context watches for its first store (core/rma/ctx.c). */
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

/** The general route, for a cold path that has opened its frame (CW_WATCH); may connect. NULL:
 *  mapped here, at *delta_p. No lock held. */
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

/** Reports a failed transfer; ends the job. */
noreturn void cw_ctx_failed(int rc, const char *call, const cw_ctx_t *ctx, int rank) CW_COLD;
/** pe: -1 if unknown. */
noreturn void cw_failed(int rc, const char *call, int pe) CW_COLD;
/** Ends the job on failure; the transport has said why. */
static inline void cw_must(int rc, const char *call, int pe)
{
    if (CW_UNLIKELY(rc))
        cw_failed(rc, call, pe);
}

static CW_ALWAYS_INLINE void cw_ctx_must(int rc, const char *call, const cw_ctx_t *ctx, int rank)
{
    if (CW_UNLIKELY(rc))
        cw_ctx_failed(rc, call, ctx, rank);
}

#endif
