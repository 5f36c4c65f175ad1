// SPDX-License-Identifier: BSD-3-Clause
//
// Contexts' inside: locks, marks, failures.
#ifndef CW_CORE_PORT_CTX_H
#define CW_CORE_PORT_CTX_H

#include <stdnoreturn.h>

#include "core/collect/collect.h"
#include "core/port/check.h"
#include "core/port/port.h"
#include "core/port/words.h"
#include "core/world/world.h"

/** A context's `last` during a quiet: to other threads it is not idle. */
#define CW_CTX_EMPTYING ((uintptr_t)3)

/** Before a failure ends the job: after a lost connection the launcher gets half a second to do so
 *  with a better message and status. Returns at once for other errors. */
void cw_lost_grace(int rc);
/** What this PE waits for may be lost. PEs that know more may end the job first. */
void cw_lost(int rc) CW_COLD;

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

/** After a quiet, a NOSTORE context watches for its first store (core/port/ctx.c). */
void cw_ctx_rearm(cw_ctx_t *ctx);
extern cw_node_hot_t cw_ctx_unstored;

/** Are operations held back, by its session or in bundles? */
static CW_ALWAYS_INLINE bool cw_ctx_holds_back(const cw_ctx_t *ctx)
{
    return cw_batch_is_on(ctx) || cw_port_owes(&cw_port_default, CW_BUNDLES_BUSY);
}

static inline int cw_ctx_pe(const cw_ctx_t *ctx, int rank)
{
    return ctx->listed ? ctx->pes[rank] : ctx->start + rank * ctx->stride;
}

static inline int cw_ctx_node(const cw_ctx_t *ctx, int rank)
{
    return cw_world.node_of_pe[cw_ctx_pe(ctx, rank)];
}

static inline void cw_ctx_mark(cw_ctx_t *ctx)
{
    cw_ctx_mark_word(ctx, CW_COLD_WORD);
}

/** Scalar puts by a cold word. Without a job: ends the program. */
typedef void cw_cold_put_t(cw_ctx_t *ctx, void *dest, uint64_t bits, size_t nbytes, int rank);
extern cw_cold_put_t *cw_cold_put;
/** Of the cold targets: assembly with its extra words, then C. */
ssize_t cw_cold_inject(void *ep, const void *buf, size_t nbytes, uint64_t fabric_addr,
                       uint64_t addr, uint64_t pe);
ssize_t cw_cold_inject_thunk(void *ep, const void *buf, size_t nbytes, uint64_t fabric_addr,
                             uint64_t addr, uint64_t key);
ssize_t cw_ctx_cold_inject(void *ep, const void *buf, size_t nbytes, uint64_t ctx, uint64_t addr,
                           uint64_t rank);
ssize_t cw_ctx_cold_inject_thunk(void *ep, const void *buf, size_t nbytes, uint64_t fabric_addr,
                                 uint64_t addr, uint64_t key);

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
