// SPDX-License-Identifier: BSD-3-Clause
//
// A communication context: its own endpoints, its own completion.
//
//   word[pe]    how to reach pe on this context: a local delta (same in every context), a target record, or cold.
//               In normal operation the default context's table is cw_hot.peer itself; in checking mode cw_hot.peer
//               is an all-cold table, so that every call passes cw_validate.
//   conn[node]  one connection per node touched.
// Threads: `lock` guards everything below it when the job is THREAD_MULTIPLE; else one thread at a time by contract.
#ifndef CW_CORE_CTX_H
#define CW_CORE_CTX_H

#include <pthread.h>

#include "core/core.h"
#include "transport/transport.h"

struct cw_ctx {
    pthread_mutex_t lock;
    uintptr_t *word;
    cwt_client_t *client;
    cwt_conn_t **conn;       // [nnodes], NULL until touched
    cwt_target_t **targets;  // [nnodes] arrays of one record per slot, NULL until touched
};

int cw_ctx_init(cw_ctx_t *ctx);
void cw_ctx_fini(cw_ctx_t *ctx);
void cw_ctx_progress(cw_ctx_t *ctx);

/** Locks the context if several threads may use it. */
static inline void cw_ctx_enter(cw_ctx_t *ctx)
{
    if (CW_UNLIKELY(cw_world.thread_multiple))
        pthread_mutex_lock(&ctx->lock);
}

static inline void cw_ctx_leave(cw_ctx_t *ctx)
{
    if (CW_UNLIKELY(cw_world.thread_multiple))
        pthread_mutex_unlock(&ctx->lock);
}

/** Connects to the node of `pe` if need be and returns its record. Fatal when that fails. Lock held. */
cwt_target_t *cw_ctx_connect(cw_ctx_t *ctx, int pe);
/** The connection to a node. Lock held. */
cwt_conn_t *cw_ctx_conn(cw_ctx_t *ctx, int node);

/** A table of peer words, all cold; also those of CW_GUARD_WORDS PEs below 0 and above the last, so that a PE that
 *  does not exist leads to a message and not to some memory. */
#define CW_GUARD_WORDS 256
uintptr_t *cw_words_create(int npes);
void cw_words_destroy(uintptr_t *words);

/** Checks of a cold call: life cycle always, arguments in checking mode. Fatal when something is wrong. */
void cw_validate(const char *call, const void *symmetric, size_t nbytes, int pe);

/** The way to `pe` for a cold path: NULL when its memory is mapped here (then *delta_p is set). Lock held. */
static inline cwt_target_t *cw_reach(cw_ctx_t *ctx, const char *call, const void *symmetric, size_t nbytes, int pe,
                                     uintptr_t *delta_p)
{
    if (CW_UNLIKELY(!cw_world.initialized || cw_world.check))
        cw_validate(call, symmetric, nbytes, pe);
    uintptr_t word = ctx->word[pe];
    if (!(word & 1)) {
        *delta_p = word;
        return NULL;
    }
    cwt_target_t *target = (cwt_target_t *)(word - 1);
    if (CW_LIKELY(target != &cw_cold_target))
        return target;
    if (pe < 0 || pe >= cw_world.npes)
        cw_validate(call, symmetric, nbytes, pe);
    return cw_ctx_connect(ctx, pe);
}

/** Marks the context as having something in flight. */
static inline void cw_ctx_mark(cw_ctx_t *ctx, cwt_target_t *target)
{
    if (ctx == &cw_ctx_default)
        cw_hot.last = (uintptr_t)target + 1;
}

/** A failed transfer ends the job; the transport has said why. */
static inline void cw_must(int rc, const char *call, int pe)
{
    if (CW_UNLIKELY(rc))
        cwu_fatal("%s to PE %d failed (%s)", call, pe, cwu_error_name(rc));
}

#endif
