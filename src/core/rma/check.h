// SPDX-License-Identifier: BSD-3-Clause
//
// Arguments of transfers. All of these end the job when something is wrong, with a message that
// names routine, argument and remedy. Threads: any. Blocking: never.
#ifndef CW_CORE_RMA_CHECK_H
#define CW_CORE_RMA_CHECK_H

#include <stdnoreturn.h>

#include "core/observe/check.h"
#include "core/rma/context.h"
#include "core/rma/hot.h"

/** A count of bytes that no memory has. */
noreturn void cw_count_refused(size_t nbytes) CW_COLD;
/** Life cycle, PE, count and symmetric memory. */
void cw_validate(const char *call, const void *symmetric, size_t nbytes, int pe);
/** What is particular to a context: whether it is alive, its team, its thread. */
void cw_ctx_validate(const cw_ctx_t *ctx, const char *call, int rank);
/** Opens the frame of a transfer through a context (core/observe/watch.h): checks life cycle and
 *  context, in checking mode count, addresses, alignment and overlap too. `local` is the buffer
 *  here, NULL when the value travels in registers (P, G, atomics). */
cw_frame_t *cw_ctx_watch(const cw_ctx_t *ctx, cw_op_t op, const void *symmetric, const void *local,
                         size_t nbytes, int rank);
/** The same where both sides are spread over spans of their own. */
cw_frame_t *cw_ctx_watch_spans(const cw_ctx_t *ctx, cw_op_t op, const void *symmetric,
                               size_t nbytes, const void *local, size_t local_nbytes, int rank);

/** Does this thread remember a pair for the transfer (core/observe/seen.h)? *word_p: how the PE is
 *  reached. by_place: cw_pair_among. */
static CW_ALWAYS_INLINE bool cw_ctx_is_seen(const cw_ctx_t *ctx, const void *symmetric,
                                            const void *local, size_t nbytes, int rank,
                                            uintptr_t *word_p, bool by_place)
{
    if ((unsigned)rank >= (unsigned)ctx->size || (ctx->options & CW_CTX_PRIVATE))
        return false;
    *word_p = __atomic_load_n(&__atomic_load_n(&ctx->word, CW_DEPENDED_ON)[rank], CW_DEPENDED_ON);
    return cw_pair_find(CW_PAIR_SYMMETRIC, *word_p, (uintptr_t)symmetric, local, nbytes,
                        by_place) != NULL;
}
/** In its frame: a transfer within the node, to a PE with that word, was right. */
void cw_ctx_saw(const cw_ctx_t *ctx, const void *symmetric, const void *local, size_t nbytes,
                int rank, uintptr_t word) CW_COLD;

/** Do [a, a+a_nbytes) here and the symmetric [b, b+b_nbytes) of `pe` share memory? False off the
 *  node. */
bool cw_check_overlaps(const void *a, size_t a_nbytes, const void *b, size_t b_nbytes, int pe);

#endif
