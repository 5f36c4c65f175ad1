// SPDX-License-Identifier: BSD-3-Clause
//
// Scalar puts and gets, quiet and fence: the paths whose instructions are counted.
//
// Off-node puts mark target->last and ctx->last after the inject: another thread's quiet clears
// marks and then flushes, so it could clear one stored before its put.
#ifndef CW_CORE_RMA_H
#define CW_CORE_RMA_H

#include "core/port/hot.h"
#include "core/port/local.h"

void cw_put(cw_ctx_t *ctx, void *dest, const void *src, size_t nbytes, int rank);
void cw_get(cw_ctx_t *ctx, void *dest, const void *src, size_t nbytes, int rank);
void cw_put_nbi(cw_ctx_t *ctx, void *dest, const void *src, size_t nbytes, int rank);
void cw_get_nbi(cw_ctx_t *ctx, void *dest, const void *src, size_t nbytes, int rank);

/** Complete at the target on return; observed by its caller. [waits] */
void cw_put_complete(cw_ctx_t *ctx, void *dest, const void *src, size_t nbytes, int rank);

/** Sets nbytes bytes; complete at quiet. */
void cw_fill(cw_ctx_t *ctx, void *dest, uint8_t value, size_t nbytes, int rank);

/** Puts that cannot be inlined. */
void cw_put_scalar_cold(cw_ctx_t *ctx, void *dest, uint64_t bits, size_t nbytes, int rank) CW_COLD;
/** The provider did not take the put; word: whose inject it was. */
void cw_put_scalar_retry(void *dest, uint64_t bits, size_t nbytes, uintptr_t word,
                         cw_ctx_t *ctx) CW_COLD;
void cw_put_scalar_retry_from(void *dest, const void *src, size_t nbytes, uintptr_t word) CW_COLD;
/** After CW_INJECT_ROOM puts: waits until the targets have them. */
void cw_put_scalar_drain(cw_ctx_t *ctx) CW_COLD;
/** As above, after a put by an owner's word (core/path/path.h). */
void cw_owner_target_drain(uintptr_t word) CW_COLD;
/** On x86-64: core/rma/put_scalar_x86_64.h. */
void cw_put_scalar_off_node(cw_ctx_t *ctx, void *dest, uint64_t bits, size_t nbytes, int rank);
/** A get whose word is not local. */
uint64_t cw_get_scalar_out(cw_ctx_t *ctx, const void *src, size_t nbytes, int rank);
/** On the default context, by a known word. */
uint64_t cw_get_scalar_plain_out(const void *src, int rank, uintptr_t word, size_t nbytes);
/** Transfers off the node. Arguments as in the API: a front end's local path ends in a jump. */
void cw_put_out(void *dest, const void *src, size_t nbytes, int rank, cw_ctx_t *ctx,
                uintptr_t word);
void cw_put_nbi_out(void *dest, const void *src, size_t nbytes, int rank, cw_ctx_t *ctx,
                    uintptr_t word);
void cw_get_out(void *dest, const void *src, size_t nbytes, int rank, cw_ctx_t *ctx,
                uintptr_t word);
void cw_get_nbi_out(void *dest, const void *src, size_t nbytes, int rank, cw_ctx_t *ctx,
                    uintptr_t word);
/** By a record of cw_target_of_owner, on the default context: the remote address is the owner's
 *  own. Those complete at a quiet may be collected (core/path/bundle.h). */
void cw_target_put(cwt_target_t *record, void *dest, const void *src, size_t nbytes, bool nbi);
/** Complete at the target on return. */
void cw_target_put_complete(cwt_target_t *record, void *dest, const void *src, size_t nbytes);
void cw_target_get(void *dest, cwt_target_t *record, const void *src, size_t nbytes);
void cw_target_get_nbi(void *dest, cwt_target_t *record, const void *src, size_t nbytes);
struct cw_bundle_order;
/** Not collected; the source may change on return. */
void cw_target_put_direct(cwt_target_t *record, void *dest, const void *src, size_t nbytes);
// In order, and looked at (cw_count_down). False: nothing was done. kind: CW_BATCH_PUT,
// CW_BATCH_ADD and a part.
bool cw_target_write_ordered(cwt_target_t *record, const void *dest, unsigned kind, const void *src,
                             size_t nbytes, struct cw_bundle_order *order);
bool cw_target_get_ordered(void *dest, cwt_target_t *record, const void *src, size_t nbytes,
                           struct cw_bundle_order *order);
/** Bytes that injects take; once a node was reached. */
size_t cw_inject_most(void);
void cw_quiet_cold(cw_ctx_t *ctx);
/** A quiet of the default context that never waits. The first call after one that gave 1 begins it.
 *  1: complete; 0: not yet; CW_EAGAIN: not begun, for want of room or because of another thread. */
int cw_quiet_try(void);
void cw_fence_cold(cw_ctx_t *ctx);

/** Where a transfer continues off the node. */
typedef void cw_out_fn(void *dest, const void *src, size_t nbytes, int rank, cw_ctx_t *ctx,
                       uintptr_t word);

static CW_ALWAYS_INLINE void cw_put_by(void *dest, const void *src, size_t nbytes, int rank,
                                       cw_ctx_t *ctx, cw_out_fn *out)
{
    uintptr_t word;
    if (!cw_peer_is_here(ctx, rank, &word)) {
        out(dest, src, nbytes, rank, ctx, word);
        return;
    }
    if (CW_LIKELY(nbytes <= CW_SHORT_COPY && !cw_ctx_has_sleepers(ctx)))
        cw_copy(cw_local_address(word, dest), src, nbytes);  // last: a jump
    else
        cw_put_and_wake(cw_local_address(word, dest), src, nbytes, rank, ctx);
}

static CW_ALWAYS_INLINE void cw_get_by(void *dest, const void *src, size_t nbytes, int rank,
                                       cw_ctx_t *ctx, cw_out_fn *out)
{
    uintptr_t word;
    if (!cw_peer_is_here(ctx, rank, &word)) {
        out(dest, src, nbytes, rank, ctx, word);
        return;
    }
    cw_copy(dest, cw_local_address(word, src), nbytes);
    cw_get_done();
}

/** Puts the low nbytes (1, 2, 4, 8; a constant) of bits. */
static CW_ALWAYS_INLINE void cw_put_scalar(cw_ctx_t *ctx, void *dest, uint64_t bits, size_t nbytes,
                                           int rank)
{
    uintptr_t delta;
    if (cw_peer_is_here(ctx, rank, &delta)) {
        cw_store_bits(cw_local_address(delta, dest), bits, nbytes);
        cw_ctx_stored(ctx, rank);
        return;
    }
    cw_put_scalar_off_node(ctx, dest, bits, nbytes, rank);
}

/** On the default context, of 1, 2, 4 or 8 bytes, by a warm word. */
static CW_ALWAYS_INLINE void cw_put_scalar_by(void *dest, const void *src, size_t nbytes,
                                              uintptr_t word)
{
    ssize_t rc = cw_inject(word, dest, src, nbytes);
    cw_ctx_mark_word(&cw_ctx_default, word);
    if (CW_UNLIKELY(rc != 0))
        cw_put_scalar_retry_from(dest, src, nbytes, word);
    else if (CW_UNLIKELY(cw_count_down(&cw_ctx_default.room)))
        cw_put_scalar_drain(&cw_ctx_default);
}

static CW_ALWAYS_INLINE uint64_t cw_get_scalar(cw_ctx_t *ctx, const void *src, size_t nbytes,
                                               int rank)
{
    uintptr_t word;
    if (cw_peer_is_here(ctx, rank, &word))
        return cw_load_bits(cw_local_address(word, src), nbytes);
    return cw_ctx_is_plain(ctx) ? cw_get_scalar_plain_out(src, rank, word, nbytes)
                                : cw_get_scalar_out(ctx, src, nbytes, rank);
}

/** All issued is done and visible. seq_cst: a quiet orders local stores against later loads. */
static CW_ALWAYS_INLINE void cw_quiet_default(void)
{
    if (CW_UNLIKELY(cw_ctx_is_marked(&cw_hot)))
        cw_quiet_cold(&cw_ctx_default);
    atomic_thread_fence(memory_order_seq_cst);
}

/** Orders operations to each PE, and local stores (release). */
static CW_ALWAYS_INLINE void cw_fence_default(void)
{
    if (CW_UNLIKELY(cw_ctx_is_marked(&cw_hot)))
        cw_fence_cold(&cw_ctx_default);
    atomic_thread_fence(memory_order_acq_rel);
}

/** Ends a quiet on a context that need not order the program's stores. */
void cw_quiet_rearm(cw_ctx_t *ctx);

static CW_ALWAYS_INLINE void cw_quiet(cw_ctx_t *ctx)
{
    if (CW_UNLIKELY(cw_ctx_is_marked(ctx)))
        cw_quiet_cold(ctx);
    if (CW_UNLIKELY(ctx->rearms)) {
        cw_quiet_rearm(ctx);
        return;
    }
    atomic_thread_fence(memory_order_seq_cst);
}

static CW_ALWAYS_INLINE void cw_fence(cw_ctx_t *ctx)
{
    if (CW_UNLIKELY(cw_ctx_is_marked(ctx)))
        cw_fence_cold(ctx);
    atomic_thread_fence(memory_order_acq_rel);
}

#endif
