// SPDX-License-Identifier: BSD-3-Clause
//
// Scalar puts and gets, quiet and fence: the paths whose instructions are counted.
//
// Local: one load of the peer word, one test, the store itself, one load of the count of sleepers.
// Off-node: the same test, then the provider's inject is called with a record that holds every
// argument ready. Completion bookkeeping is two plain stores after the inject: target->last (this
// target has something in flight) and ctx->last (the context has). After it, because another
// thread's quiet clears the marks before it flushes: a mark stored first could be cleared before
// its put was under way.
#ifndef CW_CORE_RMA_H
#define CW_CORE_RMA_H

#include "core/mem/copy.h"
#include "core/rma/context.h"

// Values of 1, 2, 4 and 8 bytes: cw_put_scalar, cw_get_scalar, inlined below.
void cw_put(cw_ctx_t *ctx, void *dest, const void *src, size_t nbytes, int rank);
void cw_get(cw_ctx_t *ctx, void *dest, const void *src, size_t nbytes, int rank);
void cw_put_nbi(cw_ctx_t *ctx, void *dest, const void *src, size_t nbytes, int rank);
void cw_get_nbi(cw_ctx_t *ctx, void *dest, const void *src, size_t nbytes, int rank);

/** Complete at the target when it returns; observed by its caller. [waits] */
void cw_put_complete(cw_ctx_t *ctx, void *dest, const void *src, size_t nbytes, int rank);

/** Sets nbytes bytes; complete at quiet. */
void cw_fill(cw_ctx_t *ctx, void *dest, uint8_t value, size_t nbytes, int rank);

/** The put that could not be done inline: not connected, checked, or batched. */
void cw_put_scalar_cold(cw_ctx_t *ctx, void *dest, uint64_t bits, size_t nbytes, int rank) CW_COLD;
/** The put that the provider did not take; word: the peer word whose inject it was. */
void cw_put_scalar_retry(void *dest, uint64_t bits, size_t nbytes, uintptr_t word,
                         cw_ctx_t *ctx) CW_COLD;
void cw_put_scalar_retry_from(void *dest, const void *src, size_t nbytes, uintptr_t word) CW_COLD;
/** CW_INJECT_ROOM puts were injected: waits until the targets have them. */
void cw_put_scalar_drain(cw_ctx_t *ctx) CW_COLD;
/** The same behind a put by an owner's word (path.h). */
void cw_owner_target_drain(uintptr_t word) CW_COLD;
/** An off-node put through the target's inject; x86-64 has it in assembly
 *  (core/rma/put_scalar_x86_64.h). */
void cw_put_scalar_off_node(cw_ctx_t *ctx, void *dest, uint64_t bits, size_t nbytes, int rank);
/** The injects of the cold targets: what assembly reaches with its extra words, and the C behind
 *  it. */
ssize_t cw_cold_inject(void *ep, const void *buf, size_t nbytes, uint64_t fabric_addr,
                       uint64_t addr, uint64_t pe);
ssize_t cw_cold_inject_thunk(void *ep, const void *buf, size_t nbytes, uint64_t fabric_addr,
                             uint64_t addr, uint64_t key);
ssize_t cw_ctx_cold_inject(void *ep, const void *buf, size_t nbytes, uint64_t ctx, uint64_t addr,
                           uint64_t rank);
ssize_t cw_ctx_cold_inject_thunk(void *ep, const void *buf, size_t nbytes, uint64_t fabric_addr,
                                 uint64_t addr, uint64_t key);
/** A get whose word is not local: from another node, or one that is not connected or observed. */
uint64_t cw_get_scalar_out(cw_ctx_t *ctx, const void *src, size_t nbytes, int rank);
/** The same on the default context, whose word is known. */
uint64_t cw_get_scalar_plain_out(const void *src, int rank, uintptr_t word, size_t nbytes);
/** Transfers of PEs whose peer word is not local. The order of arguments is that of the API, so
 *  that a front end's local path ends in a jump. */
void cw_put_out(void *dest, const void *src, size_t nbytes, int rank, cw_ctx_t *ctx,
                uintptr_t word);
void cw_put_nbi_out(void *dest, const void *src, size_t nbytes, int rank, cw_ctx_t *ctx,
                    uintptr_t word);
void cw_get_out(void *dest, const void *src, size_t nbytes, int rank, cw_ctx_t *ctx,
                uintptr_t word);
void cw_get_nbi_out(void *dest, const void *src, size_t nbytes, int rank, cw_ctx_t *ctx,
                    uintptr_t word);
/** Transfers through a record of cw_target_of_owner, on the default context: the remote address is
 *  the owner's own. Those that complete at a quiet may be collected (core/rma/bundle.h). */
void cw_target_put(cwt_target_t *record, void *dest, const void *src, size_t nbytes, bool nbi);
/** Complete at the target when it returns. */
void cw_target_put_complete(cwt_target_t *record, void *dest, const void *src, size_t nbytes);
void cw_target_get(void *dest, cwt_target_t *record, const void *src, size_t nbytes);
void cw_target_get_nbi(void *dest, cwt_target_t *record, const void *src, size_t nbytes);
struct cw_bundle_order;
/** A put that is not collected; its source may change when it returns. */
void cw_target_put_direct(cwt_target_t *record, void *dest, const void *src, size_t nbytes);
// For operations in order, those that are looked at (cw_count_down) where what is in order may be
// collected; false: nothing was done. kind: CW_BATCH_PUT, CW_BATCH_ADD and a part.
bool cw_target_write_ordered(cwt_target_t *record, const void *dest, unsigned kind, const void *src,
                             size_t nbytes, struct cw_bundle_order *order);
bool cw_target_get_ordered(void *dest, cwt_target_t *record, const void *src, size_t nbytes,
                           struct cw_bundle_order *order);
/** Bytes that the injects of records take; once a node was reached. */
size_t cw_inject_most(void);
void cw_quiet_cold(cw_ctx_t *ctx);
/** A quiet of the default context that never waits. The first call after one that gave 1 begins it;
 *  1: it is complete; 0: not yet; CW_EAGAIN: it has not begun, for want of room or because of
 *  another thread. */
int cw_quiet_try(void);
void cw_fence_cold(cw_ctx_t *ctx);

static CW_ALWAYS_INLINE void cw_store_bits(void *p, uint64_t bits, size_t nbytes)
{
    switch (nbytes) {
    case 1:
        __atomic_store_n((uint8_t *)p, (uint8_t)bits, __ATOMIC_RELAXED);
        break;
    case 2:
        __atomic_store_n((uint16_t *)p, (uint16_t)bits, __ATOMIC_RELAXED);
        break;
    case 4:
        __atomic_store_n((uint32_t *)p, (uint32_t)bits, __ATOMIC_RELAXED);
        break;
    default:
        __atomic_store_n((uint64_t *)p, bits, __ATOMIC_RELAXED);
        break;
    }
}

/** Acquire: a get is complete when it returns, so nothing after it may come before it. */
static CW_ALWAYS_INLINE uint64_t cw_load_bits(const void *p, size_t nbytes)
{
    switch (nbytes) {
    case 1:
        return __atomic_load_n((const uint8_t *)p, __ATOMIC_ACQUIRE);
    case 2:
        return __atomic_load_n((const uint16_t *)p, __ATOMIC_ACQUIRE);
    case 4:
        return __atomic_load_n((const uint32_t *)p, __ATOMIC_ACQUIRE);
    default:
        return __atomic_load_n((const uint64_t *)p, __ATOMIC_ACQUIRE);
    }
}

/** Copies less than 8 bytes. A word is stored once: memcpy stores 2, 4 and 8 bytes twice (as
 *  overlapping halves), and a flag that its owner clears in between would rise again. */
static CW_ALWAYS_INLINE void cw_copy_word(void *dest, const void *src, size_t nbytes)
{
    if (nbytes == 4)
        memcpy(dest, src, 4);
    else if (nbytes == 2)
        memcpy(dest, src, 2);
    else
        memcpy(dest, src, nbytes);
}

/** Of CW_LONG_COPY bytes or more; ends the job if no memory has as many. */
void cw_copy_long(void *dest, const void *src, size_t nbytes) CW_NOINLINE;

static CW_ALWAYS_INLINE void cw_copy(void *dest, const void *src, size_t nbytes)
{
    if (nbytes == 8)  // first, since it is the most frequent of the short ones
        memcpy(dest, src, 8);
    else if (CW_UNLIKELY(nbytes >= CW_LONG_COPY))
        cw_copy_long(dest, src, nbytes);
    else if (nbytes > 8)
        memcpy(dest, src, nbytes);
    else
        cw_copy_word(dest, src, nbytes);
}

/** Behind the loads of a blocking get, as in cw_load_bits. x86 keeps loads in order by itself, and
 *  a call to the library keeps the compiler from moving anything. */
static CW_ALWAYS_INLINE void cw_get_done(void)
{
#if !defined(__x86_64__)
    atomic_thread_fence(memory_order_acquire);
#endif
}

/** A copy of up to this size is so short that a PE which goes to sleep meanwhile need not be woken
 *  for its end: the time-out of its sleep covers it (core/progress/wait.h). */
#define CW_SHORT_COPY 4096u
void cw_put_and_wake(void *dest, const void *src, size_t nbytes, int rank,
                     cw_ctx_t *ctx) CW_NOINLINE;

/** Where a transfer continues whose peer word is not local. */
typedef void cw_out_fn(void *dest, const void *src, size_t nbytes, int rank, cw_ctx_t *ctx,
                       uintptr_t word);

/** A contiguous put. Blocking and nonblocking differ in `out` only. */
static CW_ALWAYS_INLINE void cw_put_by(void *dest, const void *src, size_t nbytes, int rank,
                                       cw_ctx_t *ctx, cw_out_fn *out)
{
    uintptr_t word;
    if (!cw_peer_is_here(ctx, rank, &word)) {
        out(dest, src, nbytes, rank, ctx, word);
        return;
    }
    if (CW_LIKELY(nbytes <= CW_SHORT_COPY && !cw_ctx_has_sleepers(ctx)))
        cw_copy(cw_local_address(word, dest), src, nbytes);  // the last thing done: a jump
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

/** The same of the default context, of 1, 2, 4 or 8 bytes, by a word that is warm. */
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

/** Everything this context issued is done and visible. The fence is seq_cst: quiet also orders
 *  local stores against later loads (store buffering must not be observable across it). */
static CW_ALWAYS_INLINE void cw_quiet_default(void)
{
    if (CW_UNLIKELY(cw_ctx_is_marked(&cw_hot)))
        cw_quiet_cold(&cw_ctx_default);
    atomic_thread_fence(memory_order_seq_cst);
}

/** Order to each PE. Local stores: release. Off-node: what the transport needs. */
static CW_ALWAYS_INLINE void cw_fence_default(void)
{
    if (CW_UNLIKELY(cw_ctx_is_marked(&cw_hot)))
        cw_fence_cold(&cw_ctx_default);
    atomic_thread_fence(memory_order_acq_rel);
}

/** The end of a quiet on a context that need not order the program's own stores. */
void cw_quiet_rearm(cw_ctx_t *ctx);

/** Of any context. */
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
