// SPDX-License-Identifier: BSD-3-Clause
//
// Contiguous transfers and single values. Fast paths take the connection that the peer word names;
// cold ones find the route first (cw_reach).
#include "core/rma/rma.h"

#include <string.h>

#include "base/symbol.h"
#include "core/mem/foreign.h"
#include "core/observe/sources.h"
#include "core/observe/watch.h"
#include "core/path/bundle.h"
#include "core/path/path.h"
#include "core/port/ctx.h"
#include "core/rma/batch.h"
#include "core/rma/send.h"
#include "core/route/request.h"

// ---------------------------------------------------------------- on a connection

static CW_ALWAYS_INLINE void put_now(cw_ctx_t *ctx, const cwt_target_t *t, void *dest,
                                     const void *src, size_t nbytes, int rank, bool nbi)
{
    cw_ctx_must(cw_transport->put(t->conn, (uintptr_t)dest + t->offset, src, nbytes, nbi), "put",
                ctx, rank);
    cw_ctx_mark(ctx);
}

static CW_ALWAYS_INLINE void get_now(cw_ctx_t *ctx, const cwt_target_t *t, void *dest,
                                     const void *src, size_t nbytes, int rank, bool nbi)
{
    cw_ctx_must(cw_transport->get(t->conn, (uintptr_t)src + t->offset, dest, nbytes, nbi), "get",
                ctx, rank);
    if (nbi)
        cw_ctx_mark(ctx);
}

// ---------------------------------------------------------------- contiguous

static bool put_foreign(cw_ctx_t *ctx, void *dest, const void *src, size_t nbytes, int rank)
{
    return CW_UNLIKELY(cw_foreign != NULL) && cw_foreign->put(ctx, dest, src, nbytes, rank);
}

static bool get_foreign(cw_ctx_t *ctx, void *dest, const void *src, size_t nbytes, int rank)
{
    return CW_UNLIKELY(cw_foreign != NULL) && cw_foreign->get(ctx, dest, src, nbytes, rank);
}

static CW_NOINLINE void put_routed(cw_ctx_t *ctx, void *dest, const void *src, size_t nbytes,
                                   int rank, bool nbi)
{
    uintptr_t delta = 0;
    CW_WATCH(cw_ctx_watch(ctx, nbi ? CW_OP_PUT_NBI : CW_OP_PUT, dest, src, nbytes, rank));
    if (put_foreign(ctx, dest, src, nbytes, rank))
        return;
    cwt_target_t *t = cw_reach(ctx, "put", rank, &delta);
    if (!t) {
        cw_put_and_wake(cw_local_address(delta, dest), src, nbytes, rank, ctx);
        if (cw_watch_untimed)
            cw_ctx_saw(ctx, dest, src, nbytes, rank, delta);
    } else if (!cw_batch_put(ctx, rank, t, dest, src, nbytes) &&
               !cw_bundle_put(ctx, t, dest, src, nbytes)) {
        put_now(ctx, t, dest, src, nbytes, rank, nbi);
    }
}

static CW_NOINLINE void put_cold(cw_ctx_t *ctx, void *dest, const void *src, size_t nbytes,
                                 int rank, bool nbi)
{
    uintptr_t word;
    if (cw_ctx_is_seen(ctx, dest, src, nbytes, rank, &word, false))
        cw_put_and_wake(cw_local_address(word, dest), src, nbytes, rank, ctx);
    else
        put_routed(ctx, dest, src, nbytes, rank, nbi);
}

/** In checking mode. The mark brings the program's next quiet to cw_quiet_cold, which looks at the
 *  source. */
static CW_NOINLINE void put_nbi_checked(void *dest, const void *src, size_t nbytes, int rank,
                                        cw_ctx_t *ctx)
{
    uintptr_t word;
    if (CW_LIKELY(cw_ctx_is_seen(ctx, dest, src, nbytes, rank, &word, true))) {
        cw_copy(cw_local_address(word, dest), src, nbytes);
        cw_ctx_stored(ctx, rank);
    } else {
        put_routed(ctx, dest, src, nbytes, rank, true);
        if (!cw_watch_is_outermost() || cw_foreign_holds(src))
            return;
    }
    cw_source_begin(CW_SOURCE_CONTEXT, (uintptr_t)ctx, CWU_CALLER, src, nbytes,
                    cw_ctx_pe(ctx, rank));
    cw_ctx_mark(ctx);
}

static CW_NOINLINE void get_routed(cw_ctx_t *ctx, void *dest, const void *src, size_t nbytes,
                                   int rank, bool nbi)
{
    uintptr_t delta = 0;
    CW_WATCH(cw_ctx_watch(ctx, nbi ? CW_OP_GET_NBI : CW_OP_GET, src, dest, nbytes, rank));
    if (get_foreign(ctx, dest, src, nbytes, rank))
        return;
    cwt_target_t *t = cw_reach(ctx, "get", rank, &delta);
    if (!t) {
        cw_copy(dest, cw_local_address(delta, src), nbytes);
        cw_get_done();
        if (cw_watch_untimed)
            cw_ctx_saw(ctx, src, dest, nbytes, rank, delta);
        return;
    }
    if (!nbi || cw_batch_is_on(ctx))
        cw_batch_pass(ctx, rank);
    if (!nbi)
        cw_bundles_get();
    else if (cw_bundle_get(ctx, t, dest, src, nbytes))
        return;
    get_now(ctx, t, dest, src, nbytes, rank, nbi);
}

static CW_NOINLINE void get_cold(cw_ctx_t *ctx, void *dest, const void *src, size_t nbytes,
                                 int rank, bool nbi)
{
    uintptr_t word;
    if (!cw_ctx_is_seen(ctx, src, dest, nbytes, rank, &word, false)) {
        get_routed(ctx, dest, src, nbytes, rank, nbi);
        return;
    }
    cw_copy(dest, cw_local_address(word, src), nbytes);
    cw_get_done();
}

// Rare parts are functions of their own, so that little is kept during the transport's call: the
// context, to be marked, and the rank, for messages.

/** More have come than go at once. */
static CW_ALWAYS_INLINE void put_looked_at(void *dest, const void *src, size_t nbytes, int rank,
                                           cw_ctx_t *ctx, uintptr_t word, bool nbi)
{
    const cwt_target_t *t = cw_word_target(word);
    if (!cw_bundle_look_put(ctx, t, dest, src, nbytes))
        put_now(ctx, t, dest, src, nbytes, rank, nbi);
}

static CW_NOINLINE void put_blocking_looked_at(void *dest, const void *src, size_t nbytes, int rank,
                                               cw_ctx_t *ctx, uintptr_t word)
{
    put_looked_at(dest, src, nbytes, rank, ctx, word, false);
}

static CW_NOINLINE void put_nbi_looked_at(void *dest, const void *src, size_t nbytes, int rank,
                                          cw_ctx_t *ctx, uintptr_t word)
{
    put_looked_at(dest, src, nbytes, rank, ctx, word, true);
}

static CW_NOINLINE void get_nbi_looked_at(void *dest, const void *src, size_t nbytes, int rank,
                                          cw_ctx_t *ctx, uintptr_t word)
{
    const cwt_target_t *t = cw_word_target(word);
    if (!cw_bundle_look_get(ctx, t, dest, src, nbytes))
        get_now(ctx, t, dest, src, nbytes, rank, true);
}

void cw_put_out(void *dest, const void *src, size_t nbytes, int rank, cw_ctx_t *ctx, uintptr_t word)
{
    const cwt_target_t *t = cw_warm_target(word);
    if (CW_UNLIKELY(!t))
        put_cold(ctx, dest, src, nbytes, rank, false);
    else if (CW_UNLIKELY(cw_count_down(&ctx->direct)))
        put_blocking_looked_at(dest, src, nbytes, rank, ctx, word);
    else
        put_now(ctx, t, dest, src, nbytes, rank, false);
}

void cw_put_nbi_out(void *dest, const void *src, size_t nbytes, int rank, cw_ctx_t *ctx,
                    uintptr_t word)
{
    const cwt_target_t *t = cw_warm_target(word);
    if (CW_UNLIKELY(!t) && CW_CHECKING())
        put_nbi_checked(dest, src, nbytes, rank, ctx);
    else if (CW_UNLIKELY(!t))
        put_cold(ctx, dest, src, nbytes, rank, true);
    else if (CW_UNLIKELY(cw_count_down(&ctx->direct)))
        put_nbi_looked_at(dest, src, nbytes, rank, ctx, word);
    else
        put_now(ctx, t, dest, src, nbytes, rank, true);
}

void cw_get_out(void *dest, const void *src, size_t nbytes, int rank, cw_ctx_t *ctx, uintptr_t word)
{
    const cwt_target_t *t = cw_warm_target(word);
    if (CW_LIKELY(t != NULL) && CW_LIKELY(!cw_bundles_any_due()))
        get_now(ctx, t, dest, src, nbytes, rank, false);
    else
        get_cold(ctx, dest, src, nbytes, rank, false);
}

void cw_get_nbi_out(void *dest, const void *src, size_t nbytes, int rank, cw_ctx_t *ctx,
                    uintptr_t word)
{
    const cwt_target_t *t = cw_warm_target(word);
    if (CW_UNLIKELY(!t))
        get_cold(ctx, dest, src, nbytes, rank, true);
    else if (CW_UNLIKELY(cw_count_down(&ctx->direct)))
        get_nbi_looked_at(dest, src, nbytes, rank, ctx, word);
    else
        get_now(ctx, t, dest, src, nbytes, rank, true);
}

void cw_put(cw_ctx_t *ctx, void *dest, const void *src, size_t nbytes, int rank)
{
    cw_put_by(dest, src, nbytes, rank, ctx, cw_put_out);
}

void cw_put_nbi(cw_ctx_t *ctx, void *dest, const void *src, size_t nbytes, int rank)
{
    cw_put_by(dest, src, nbytes, rank, ctx, cw_put_nbi_out);
}

void cw_get(cw_ctx_t *ctx, void *dest, const void *src, size_t nbytes, int rank)
{
    cw_get_by(dest, src, nbytes, rank, ctx, cw_get_out);
}

void cw_get_nbi(cw_ctx_t *ctx, void *dest, const void *src, size_t nbytes, int rank)
{
    cw_get_by(dest, src, nbytes, rank, ctx, cw_get_nbi_out);
}

void cw_put_complete(cw_ctx_t *ctx, void *dest, const void *src, size_t nbytes, int rank)
{
    uintptr_t delta = 0;
    cwt_target_t *t = cw_reach(ctx, "put", rank, &delta);
    if (!t) {
        cw_put_and_wake(cw_local_address(delta, dest), src, nbytes, rank, ctx);
        return;
    }
    cw_batch_pass(ctx, rank);
    if (nbytes > 0)
        cw_ctx_must(cw_transport->put_complete(t->conn, (uintptr_t)dest + t->offset, src, nbytes),
                    "put", ctx, rank);
}

// ---------------------------------------------------------------- single values

_Static_assert(offsetof(cw_ctx_t, peer) == 0 && offsetof(cw_ctx_t, node) == 8 &&
                   offsetof(cw_ctx_t, size) == 48 && offsetof(cw_ctx_t, last) == 64 &&
                   offsetof(cw_ctx_t, room) == 72,
               "put_scalar_x86_64.h");
_Static_assert(offsetof(cwt_target_t, inject) == 0 && offsetof(cwt_target_t, ep) == 8 &&
                   offsetof(cwt_target_t, fabric_addr) == 16 &&
                   offsetof(cwt_target_t, base) == 24 && offsetof(cwt_target_t, key) == 32 &&
                   offsetof(cwt_target_t, last) == 40,
               "put_scalar_x86_64.h");

/** As the fast path: an observer must not change what it observes. The caller counts room down. */
static void put_scalar_there(cw_ctx_t *ctx, cwt_target_t *t, void *dest, uint64_t bits,
                             size_t nbytes)
{
    uintptr_t word = (uintptr_t)t + 1;
    ssize_t rc = cw_inject(word, dest, &bits, nbytes);
    cw_ctx_mark_word(ctx, word);
    // the caller marks the context with the cold word
    __atomic_store_n(&ctx->port->last_put, word, __ATOMIC_RELAXED);
    if (rc)
        cw_put_scalar_retry(dest, bits, nbytes, word, ctx);
    else if (!cw_path_intercepts(t))
        cw_port_count_put();
}

void cw_put_scalar_cold(cw_ctx_t *ctx, void *dest, uint64_t bits, size_t nbytes, int rank)
{
    uintptr_t delta = 0;
    CW_WATCH(cw_ctx_watch(ctx, CW_OP_P, dest, NULL, nbytes, rank));
    if (cw_foreign_is_symmetric(dest, nbytes)) {
        cw_foreign->put(ctx, dest, &bits, nbytes, rank);
        return;
    }
    cwt_target_t *t = cw_reach(ctx, "put", rank, &delta);
    if (!t) {
        cw_store_bits(cw_local_address(delta, dest), bits, nbytes);
        cw_ctx_stored(ctx, rank);
    } else if (!cw_batch_put(ctx, rank, t, dest, &bits, nbytes)) {
        put_scalar_there(ctx, t, dest, bits, nbytes);
    }
}

void cw_put_scalar_off_node(cw_ctx_t *ctx, void *dest, uint64_t bits, size_t nbytes, int rank)
{
    uintptr_t word = cw_peer_word(ctx, rank);
    if (!cw_warm_target(word)) {
        cw_put_scalar_cold(ctx, dest, bits, nbytes, rank);
        if (cw_count_down(&ctx->room))
            cw_put_scalar_drain(ctx);
        return;
    }
    ssize_t rc = cw_inject(word, dest, &bits, nbytes);
    cw_ctx_mark_word(ctx, word);
    if (rc)
        cw_put_scalar_retry(dest, bits, nbytes, word, ctx);
    else if (cw_count_down(&ctx->room))
        cw_put_scalar_drain(ctx);
}

void cw_put_scalar_drain(cw_ctx_t *ctx)
{
    if (cw_path_is_full(ctx))
        cw_quiet_cold(ctx);  // gives room
}

void cw_owner_target_drain(uintptr_t word)
{
    if (cw_owner_target_is_full(word))
        cw_quiet_cold(&cw_ctx_default);
}

void cw_put_scalar_retry(void *dest, uint64_t bits, size_t nbytes, uintptr_t word, cw_ctx_t *ctx)
{
    cwt_target_t *t = cw_word_target(word);
    cw_must(cw_transport->put(t->conn, (uintptr_t)dest + t->offset, &bits, nbytes, false), "put",
            -1);
    cw_ctx_mark(ctx);
}

void cw_put_scalar_retry_from(void *dest, const void *src, size_t nbytes, uintptr_t word)
{
    uint64_t bits = 0;
    memcpy(&bits, src, nbytes);  // little-endian
    cw_put_scalar_retry(dest, bits, nbytes, word, &cw_ctx_default);
}

static CW_NOINLINE uint64_t get_scalar_cold(cw_ctx_t *ctx, const void *src, size_t nbytes, int rank)
{
    uintptr_t delta = 0;
    uint64_t bits = 0;
    CW_WATCH(cw_ctx_watch(ctx, CW_OP_G, src, NULL, nbytes, rank));
    if (cw_foreign_is_symmetric(src, nbytes)) {
        cw_foreign->get(ctx, &bits, src, nbytes, rank);
        return bits;
    }
    cwt_target_t *t = cw_reach(ctx, "get", rank, &delta);
    if (!t)
        return cw_load_bits(cw_local_address(delta, src), nbytes);
    cw_batch_pass(ctx, rank);
    cw_bundles_get();
    get_now(ctx, t, &bits, src, nbytes, rank, false);
    return bits;
}

static CW_ALWAYS_INLINE uint64_t get_scalar_out(const void *src, int rank, uintptr_t word,
                                                cw_ctx_t *ctx, size_t nbytes)
{
    uint64_t bits = 0;
    const cwt_target_t *t = cw_warm_target(word);
    if (CW_UNLIKELY(!t) || CW_UNLIKELY(cw_bundles_any_due()))
        return get_scalar_cold(ctx, src, nbytes, rank);
    get_now(ctx, t, &bits, src, nbytes, rank, false);
    return bits;
}

uint64_t cw_get_scalar_out(cw_ctx_t *ctx, const void *src, size_t nbytes, int rank)
{
    return get_scalar_out(src, rank, cw_peer_word(ctx, rank), ctx, nbytes);
}

uint64_t cw_get_scalar_plain_out(const void *src, int rank, uintptr_t word, size_t nbytes)
{
    return get_scalar_out(src, rank, word, &cw_ctx_default, nbytes);
}

// ---------------------------------------------------------------- by the owner's addresses

static CW_ALWAYS_INLINE void target_put_now(const cwt_target_t *record, void *dest, const void *src,
                                            size_t nbytes, bool nbi)
{
    cw_must(cw_transport->put(record->conn, (uintptr_t)dest + record->offset, src, nbytes, nbi),
            "put", -1);
    cw_ctx_mark(&cw_ctx_default);
}

static CW_ALWAYS_INLINE void target_get_now(void *dest, const cwt_target_t *record, const void *src,
                                            size_t nbytes, bool nbi)
{
    cw_must(cw_transport->get(record->conn, (uintptr_t)src + record->offset, dest, nbytes, nbi),
            "get", -1);
    if (nbi)
        cw_ctx_mark(&cw_ctx_default);
}

/** Of `addr` in the record's PE. */
static const void *symmetric_of(const cw_owner_target_t *target, const void *addr)
{
    return (const char *)((uintptr_t)addr + target->direct.offset - target->path->direct.offset);
}

static CW_NOINLINE void target_put_looked_at(const cwt_target_t *record, void *dest,
                                             const void *src, size_t nbytes, bool nbi)
{
    const cw_owner_target_t *target = cw_owner_target_of(record);
    if (!cw_bundle_look_put(&cw_ctx_default, &target->path->direct, symmetric_of(target, dest), src,
                            nbytes))
        target_put_now(record, dest, src, nbytes, nbi);
}

static CW_NOINLINE void target_get_looked_at(void *dest, const cwt_target_t *record,
                                             const void *src, size_t nbytes)
{
    const cw_owner_target_t *target = cw_owner_target_of(record);
    if (!cw_bundle_look_get(&cw_ctx_default, &target->path->direct, dest, symmetric_of(target, src),
                            nbytes))
        target_get_now(dest, record, src, nbytes, true);
}

void cw_target_put(cwt_target_t *record, void *dest, const void *src, size_t nbytes, bool nbi)
{
    if (CW_UNLIKELY(cw_count_down(&cw_ctx_default.direct)))
        target_put_looked_at(record, dest, src, nbytes, nbi);
    else
        target_put_now(record, dest, src, nbytes, nbi);
}

void cw_target_put_complete(cwt_target_t *record, void *dest, const void *src, size_t nbytes)
{
    cw_must(cw_transport->put_complete(record->conn, (uintptr_t)dest + record->offset, src, nbytes),
            "put", -1);
}

bool cw_target_write_ordered(cwt_target_t *record, const void *dest, unsigned kind, const void *src,
                             size_t nbytes, cw_bundle_order_t *order)
{
    const cw_owner_target_t *target = cw_owner_target_of(record);
    return cw_bundle_look_ordered(target->path, symmetric_of(target, dest), kind, src, nbytes,
                                  order);
}

bool cw_target_get_ordered(void *dest, cwt_target_t *record, const void *src, size_t nbytes,
                           cw_bundle_order_t *order)
{
    const cw_owner_target_t *target = cw_owner_target_of(record);
    return cw_bundle_look_get_ordered(target->path, dest, symmetric_of(target, src), nbytes, order);
}

void cw_target_put_direct(cwt_target_t *record, void *dest, const void *src, size_t nbytes)
{
    target_put_now(record, dest, src, nbytes, false);
}

void cw_target_get(void *dest, cwt_target_t *record, const void *src, size_t nbytes)
{
    target_get_now(dest, record, src, nbytes, false);
}

void cw_target_get_nbi(void *dest, cwt_target_t *record, const void *src, size_t nbytes)
{
    if (CW_UNLIKELY(cw_count_down(&cw_ctx_default.direct)))
        target_get_looked_at(dest, record, src, nbytes);
    else
        target_get_now(dest, record, src, nbytes, true);
}

size_t cw_inject_most(void)
{
    return cw_transport->inject_most();
}

// ---------------------------------------------------------------- memory set to one byte

// of a request: it must not hold the server for long
#define PART (UINT64_C(4) << 20)

void cw_fill(cw_ctx_t *ctx, void *dest, uint8_t value, size_t nbytes, int rank)
{
    uintptr_t delta = 0;
    CW_WATCH(cw_ctx_watch(ctx, CW_OP_PUT, dest, dest, 0, rank));
    if (nbytes == 0)
        return;
    const cwt_target_t *t = cw_request_reach(ctx, "memset", rank, &delta);
    if (nbytes > PTRDIFF_MAX)
        cw_count_refused(nbytes);
    if (!t) {
        memset((char *)dest + delta, value, nbytes);
        cw_ctx_stored(ctx, rank);
        return;
    }
    cw_batch_pass(ctx, rank);
    for (uint64_t at = 0, n; at < nbytes; at += n) {
        n = nbytes - at < PART ? nbytes - at : PART;
        cw_req_fill_t req = {.header = {.op = CW_REQ_FILL, .nbytes = sizeof req},
                             .offset = (uintptr_t)dest + at + t->offset,
                             .nbytes = n,
                             .value = value};
        cw_must(cw_ctx_request_send(ctx, rank, t->conn, &req.header, sizeof req, NULL), "memset",
                cw_ctx_pe(ctx, rank));
        cw_ctx_mark(ctx);
    }
}
