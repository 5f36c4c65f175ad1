// SPDX-License-Identifier: BSD-3-Clause
//
// Contiguous transfers: the local copy, and the door to the transport.
#include "core/rma/rma.h"

#include "core/observe/watch.h"
#include "core/rma/batch.h"
#include "core/rma/ctx.h"

static void __attribute__((noinline))
put_cold(cw_ctx_t *ctx, void *dest, const void *src, size_t nbytes, int rank, bool nbi)
{
    uintptr_t delta = 0;
    CW_WATCH(cw_ctx_watch(ctx, nbi ? CW_OP_PUT_NBI : CW_OP_PUT, dest, src, nbytes, rank));
    cwt_target_t *t = cw_reach(ctx, "put", dest, nbytes, rank, &delta);
    if (!t) {
        cw_copy((char *)dest + delta, src, nbytes);
        cw_ctx_stored(ctx, rank);
        return;
    }
    if (cw_batch_is_on(ctx) && cw_batch_put(ctx, rank, t, dest, src, nbytes))
        return;
    cw_must(cw_transport->put(t->conn, (uintptr_t)dest + t->offset, src, nbytes, nbi), "put",
            cw_ctx_pe(ctx, rank));
    cw_ctx_mark(ctx);
}

static void __attribute__((noinline))
get_cold(cw_ctx_t *ctx, void *dest, const void *src, size_t nbytes, int rank, bool nbi)
{
    uintptr_t delta = 0;
    CW_WATCH(cw_ctx_watch(ctx, nbi ? CW_OP_GET_NBI : CW_OP_GET, src, dest, nbytes, rank));
    cwt_target_t *t = cw_reach(ctx, "get", src, nbytes, rank, &delta);
    if (!t) {
        cw_copy(dest, (const char *)src + delta, nbytes);
        cw_get_done();
        return;
    }
    if (cw_batch_is_on(ctx))
        cw_batch_pass(ctx, rank);
    cw_must(cw_transport->get(t->conn, (uintptr_t)src + t->offset, dest, nbytes, nbi), "get",
            cw_ctx_pe(ctx, rank));
    if (nbi)
        cw_ctx_mark(ctx);
}

// The ways out of the node. A peer word that leads to a connection says that nobody looks on and
// nothing is batched: those tables are cold. So there is nothing to test before the transport is
// called.

void cw_put_out(void *dest, const void *src, size_t nbytes, int rank, cw_ctx_t *ctx)
{
    cwt_target_t *t = cw_warm_target(cw_peer_word(ctx, rank));
    if (CW_UNLIKELY(!t)) {
        put_cold(ctx, dest, src, nbytes, rank, false);
        return;
    }
    cw_ctx_must(cw_transport->put(t->conn, (uintptr_t)dest + t->offset, src, nbytes, false), "put",
                ctx, rank);
    cw_ctx_mark(ctx);
}

void cw_put_nbi_out(void *dest, const void *src, size_t nbytes, int rank, cw_ctx_t *ctx)
{
    cwt_target_t *t = cw_warm_target(cw_peer_word(ctx, rank));
    if (CW_UNLIKELY(!t)) {
        put_cold(ctx, dest, src, nbytes, rank, true);
        return;
    }
    cw_ctx_must(cw_transport->put(t->conn, (uintptr_t)dest + t->offset, src, nbytes, true), "put",
                ctx, rank);
    cw_ctx_mark(ctx);
}

void cw_get_out(void *dest, const void *src, size_t nbytes, int rank, cw_ctx_t *ctx)
{
    cwt_target_t *t = cw_warm_target(cw_peer_word(ctx, rank));
    if (CW_UNLIKELY(!t)) {
        get_cold(ctx, dest, src, nbytes, rank, false);
        return;
    }
    cw_ctx_must(cw_transport->get(t->conn, (uintptr_t)src + t->offset, dest, nbytes, false), "get",
                ctx, rank);
}

void cw_get_nbi_out(void *dest, const void *src, size_t nbytes, int rank, cw_ctx_t *ctx)
{
    cwt_target_t *t = cw_warm_target(cw_peer_word(ctx, rank));
    if (CW_UNLIKELY(!t)) {
        get_cold(ctx, dest, src, nbytes, rank, true);
        return;
    }
    cw_ctx_must(cw_transport->get(t->conn, (uintptr_t)src + t->offset, dest, nbytes, true), "get",
                ctx, rank);
    cw_ctx_mark(ctx);
}

void cw_owner_put(cwt_target_t *record, void *dest, const void *src, size_t nbytes, bool nbi)
{
    cw_must(cw_transport->put(record->conn, (uintptr_t)dest + record->offset, src, nbytes, nbi),
            "put", -1);
    cw_ctx_mark(&cw_ctx_default);
}

void cw_owner_put_complete(cwt_target_t *record, void *dest, const void *src, size_t nbytes)
{
    cw_must(cw_transport->put_complete(record->conn, (uintptr_t)dest + record->offset, src, nbytes),
            "put", -1);
}

void cw_owner_get(void *dest, cwt_target_t *record, const void *src, size_t nbytes, bool nbi)
{
    cw_must(cw_transport->get(record->conn, (uintptr_t)src + record->offset, dest, nbytes, nbi),
            "get", -1);
    if (nbi)
        cw_ctx_mark(&cw_ctx_default);
}

size_t cw_inject_most(void)
{
    return cw_transport->inject_most();
}

typedef void out_fn(void *dest, const void *src, size_t nbytes, int rank, cw_ctx_t *ctx);

static inline __attribute__((always_inline)) void put(cw_ctx_t *ctx, void *dest, const void *src,
                                                      size_t nbytes, int rank, out_fn *out)
{
    uintptr_t word = cw_peer_word(ctx, rank);
    if (!cw_word_is_local(word)) {
        out(dest, src, nbytes, rank, ctx);
        return;
    }
    cw_copy(cw_local_address(word, dest), src, nbytes);
    cw_ctx_stored(ctx, rank);
}

static inline __attribute__((always_inline)) void get(cw_ctx_t *ctx, void *dest, const void *src,
                                                      size_t nbytes, int rank, out_fn *out)
{
    uintptr_t word = cw_peer_word(ctx, rank);
    if (!cw_word_is_local(word)) {
        out(dest, src, nbytes, rank, ctx);
        return;
    }
    cw_copy(dest, cw_local_address(word, src), nbytes);
    cw_get_done();
}

void cw_put(cw_ctx_t *ctx, void *dest, const void *src, size_t nbytes, int rank)
{
    put(ctx, dest, src, nbytes, rank, cw_put_out);
}

void cw_put_nbi(cw_ctx_t *ctx, void *dest, const void *src, size_t nbytes, int rank)
{
    put(ctx, dest, src, nbytes, rank, cw_put_nbi_out);
}

void cw_get(cw_ctx_t *ctx, void *dest, const void *src, size_t nbytes, int rank)
{
    get(ctx, dest, src, nbytes, rank, cw_get_out);
}

void cw_get_nbi(cw_ctx_t *ctx, void *dest, const void *src, size_t nbytes, int rank)
{
    get(ctx, dest, src, nbytes, rank, cw_get_nbi_out);
}

// ---------------------------------------------------------------- single values

void cw_put_scalar_cold(cw_ctx_t *ctx, void *dest, uint64_t bits, size_t nbytes, int rank)
{
    uintptr_t delta = 0;
    CW_WATCH(cw_ctx_watch(ctx, CW_OP_P, dest, NULL, nbytes, rank));
    cwt_target_t *t = cw_reach(ctx, "put", dest, nbytes, rank, &delta);
    if (!t) {
        cw_store_bits((char *)dest + delta, bits, nbytes);
        cw_ctx_stored(ctx, rank);
        return;
    }
    if (cw_batch_is_on(ctx) && cw_batch_put(ctx, rank, t, dest, &bits, nbytes))
        return;
    cw_must(cw_transport->put(t->conn, (uintptr_t)dest + t->offset, &bits, nbytes, false), "put",
            cw_ctx_pe(ctx, rank));
    cw_ctx_mark(ctx);
}

_Static_assert(offsetof(cw_ctx_t, peer) == 0 && offsetof(cw_ctx_t, node) == 8 &&
                   offsetof(cw_ctx_t, last) == 64 && offsetof(cw_ctx_t, room) == 72,
               "put_scalar_x86_64.h");
_Static_assert(offsetof(cwt_target_t, inject) == 0 && offsetof(cwt_target_t, ep) == 8 &&
                   offsetof(cwt_target_t, fabric_addr) == 16 &&
                   offsetof(cwt_target_t, base) == 24 && offsetof(cwt_target_t, key) == 32 &&
                   offsetof(cwt_target_t, last) == 40,
               "put_scalar_x86_64.h");

void cw_put_scalar_off_node(cw_ctx_t *ctx, void *dest, uint64_t bits, size_t nbytes, int rank,
                            uintptr_t word)
{
    cwt_target_t *t = (cwt_target_t *)(word - 1);
    if (!t->conn) {
        cw_put_scalar_cold(ctx, dest, bits, nbytes, rank);
        return;
    }
    ssize_t rc = t->inject(t->ep, &bits, nbytes, t->fabric_addr, (uintptr_t)dest + t->base, t->key);
    __atomic_store_n(&t->last, word, __ATOMIC_RELEASE);
    cw_ctx_mark(ctx);
    if (rc)
        cw_put_scalar_retry(dest, bits, nbytes, word, ctx);
    else if (cw_ctx_room_is_used_up(ctx))
        cw_put_scalar_drain(ctx);
}

void cw_put_scalar_drain(cw_ctx_t *ctx)
{
    __atomic_store_n(&ctx->room, CW_INJECT_ROOM, __ATOMIC_RELAXED);
    cw_quiet_cold(ctx);
}

void cw_put_scalar_retry(void *dest, uint64_t bits, size_t nbytes, uintptr_t word, cw_ctx_t *ctx)
{
    cwt_target_t *t = (cwt_target_t *)(word - 1);
    cw_must(cw_transport->put(t->conn, (uintptr_t)dest + t->offset, &bits, nbytes, false), "put",
            -1);
    cw_ctx_mark(ctx);
}

static uint64_t __attribute__((noinline))
get_scalar_cold(cw_ctx_t *ctx, const void *src, size_t nbytes, int rank)
{
    uintptr_t delta = 0;
    uint64_t bits = 0;
    CW_WATCH(cw_ctx_watch(ctx, CW_OP_G, src, NULL, nbytes, rank));
    cwt_target_t *t = cw_reach(ctx, "get", src, nbytes, rank, &delta);
    if (!t)
        return cw_load_bits((const char *)src + delta, nbytes);
    if (cw_batch_is_on(ctx))
        cw_batch_pass(ctx, rank);
    cw_must(cw_transport->get(t->conn, (uintptr_t)src + t->offset, &bits, nbytes, false), "get",
            cw_ctx_pe(ctx, rank));
    return bits;
}

uint64_t cw_get_scalar_out(cw_ctx_t *ctx, const void *src, size_t nbytes, int rank)
{
    uint64_t bits = 0;
    cwt_target_t *t = cw_warm_target(cw_peer_word(ctx, rank));
    if (CW_UNLIKELY(!t))
        return get_scalar_cold(ctx, src, nbytes, rank);
    cw_ctx_must(cw_transport->get(t->conn, (uintptr_t)src + t->offset, &bits, nbytes, false), "get",
                ctx, rank);
    return bits;
}

// ---------------------------------------------------------------- order

/**
 * The mark says "emptying" meanwhile, so that a quiet of another thread does not pass by; an
 * operation that another thread issues meanwhile overwrites it, and the mark stays.
 */
void cw_quiet_cold(cw_ctx_t *ctx)
{
    uintptr_t emptying = CW_CTX_EMPTYING;
    cw_ctx_enter(ctx);
    // before the transport looks at the targets' marks
    __atomic_exchange_n(&ctx->last, emptying, __ATOMIC_SEQ_CST);
    if (CW_UNLIKELY(ctx->batch != NULL))
        cw_batch_send(ctx);
    if (ctx->port->client) {
        int rc = cw_transport->quiet(ctx->port->client);
        if (rc) {
            cw_lost_grace(rc);
            cwu_fatal("quiet failed (%s)", cwu_error_name(rc));
        }
    }
    __atomic_compare_exchange_n(&ctx->last, &emptying, 0, false, __ATOMIC_RELEASE,
                                __ATOMIC_RELAXED);
    cw_ctx_leave(ctx);
}

/** As cw_quiet_cold; the mark says "emptying" from the beginning on. Guarded by the port's lock. */
static int try_locked(cw_ctx_t *ctx)
{
    uintptr_t emptying = CW_CTX_EMPTYING;
    cwt_client_t *client = ctx->port->client;
    int rc = 1;
    if (!ctx->port->trying) {
        __atomic_exchange_n(&ctx->last, emptying, __ATOMIC_SEQ_CST);
        if (CW_UNLIKELY(ctx->batch != NULL))
            cw_batch_send(ctx);
        rc = client ? cw_transport->quiet_begin(client) : 1;
        if (rc == 0)
            return CW_EAGAIN;
        ctx->port->trying = rc == 1;
    }
    if (rc == 1)
        rc = client ? cw_transport->quiet_over(client) : 1;
    if (rc < 0) {
        cw_lost_grace(rc);
        cwu_fatal("quiet failed (%s)", cwu_error_name(rc));
    }
    if (rc == 0)
        return 0;
    ctx->port->trying = false;
    __atomic_compare_exchange_n(&ctx->last, &emptying, 0, false, __ATOMIC_RELEASE,
                                __ATOMIC_RELAXED);
    return 1;
}

int cw_quiet_try(void)
{
    cw_ctx_t *ctx = &cw_ctx_default;
    if (ctx->port->locked && pthread_mutex_trylock(&ctx->port->lock))
        return CW_EAGAIN;  // or a first contact
    int over = try_locked(ctx);
    cw_ctx_leave(ctx);
    atomic_thread_fence(memory_order_seq_cst);
    return over;
}

void cw_fence_cold(cw_ctx_t *ctx)
{
    cw_ctx_enter(ctx);
    cw_batch_send(ctx);
    if (ctx->port->client) {
        int rc = cw_transport->fence(ctx->port->client);
        if (rc) {
            cw_lost_grace(rc);
            cwu_fatal("fence failed (%s)", cwu_error_name(rc));
        }
    }
    cw_ctx_leave(ctx);
}

void cw_quiet_rearm(cw_ctx_t *ctx)
{
    if (ctx->node == &cw_ctx_unstored)
        return;
    atomic_thread_fence(memory_order_seq_cst);
    cw_ctx_rearm(ctx);
}
