// SPDX-License-Identifier: BSD-3-Clause
//
// Arguments of transfers. What is wrong ends the job, with routine, argument and remedy. Threads:
// any. Blocking: never.
#ifndef CW_CORE_PORT_CHECK_H
#define CW_CORE_PORT_CHECK_H

#include <stdnoreturn.h>

#include "core/observe/check.h"
#include "core/port/hot.h"
#include "core/world/world.h"

/** No memory has so many bytes. */
noreturn void cw_count_refused(size_t nbytes) CW_COLD;
/** Life cycle, PE, count and symmetric memory. */
void cw_validate(const char *call, const void *symmetric, size_t nbytes, int pe);
/** Is it alive, of that team and thread? */
void cw_ctx_validate(const cw_ctx_t *ctx, const char *call, int rank);
/** Opens a transfer's frame (core/observe/watch.h): checks life cycle and context; in checking mode
 *  count, addresses, alignment and overlap. local: NULL for values in registers. */
cw_frame_t *cw_ctx_watch(const cw_ctx_t *ctx, cw_op_t op, const void *symmetric, const void *local,
                         size_t nbytes, int rank);
/** For sides spread over spans. */
cw_frame_t *cw_ctx_watch_spans(const cw_ctx_t *ctx, cw_op_t op, const void *symmetric,
                               size_t nbytes, const void *local, size_t local_nbytes, int rank);

/** Does this thread remember a pair for the transfer (core/observe/seen.h)? *word_p: the PE's word.
 *  by_place: cw_pair_among. */
static CW_ALWAYS_INLINE bool cw_ctx_is_seen(const cw_ctx_t *ctx, const void *symmetric,
                                            const void *local, size_t nbytes, int rank,
                                            uintptr_t *word_p, bool by_place)
{
    if ((unsigned)rank >= (unsigned)ctx->size || (ctx->options & CW_CTX_PRIVATE))
        return false;
    *word_p = cw_entry(&ctx->word, rank);
    return cw_pair_find(CW_PAIR_SYMMETRIC, *word_p, (uintptr_t)symmetric, local, nbytes,
                        by_place) != NULL;
}
/** In its frame: a transfer within the node, by that word, was right. */
void cw_ctx_saw(const cw_ctx_t *ctx, const void *symmetric, const void *local, size_t nbytes,
                int rank, uintptr_t word) CW_COLD;

/** Do [a, a+a_nbytes) here and the symmetric [b, b+b_nbytes) of `pe` overlap? False off the
 *  node. */
bool cw_check_overlaps(const void *a, size_t a_nbytes, const void *b, size_t b_nbytes, int pe);

#endif
