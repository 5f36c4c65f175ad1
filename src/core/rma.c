// SPDX-License-Identifier: BSD-3-Clause
//
// Contiguous transfers: the local copy, and the door to the transport.
#include "core/rma.h"

#include "core/ctx.h"

static inline void copy(void *dest, const void *src, size_t nbytes)
{
    if (nbytes == 8)
        memcpy(dest, src, 8);
    else
        memcpy(dest, src, nbytes);
}

static void __attribute__((noinline))
put_cold(cw_ctx_t *ctx, void *dest, const void *src, size_t nbytes, int pe, bool nbi)
{
    uintptr_t delta = 0;
    cw_ctx_enter(ctx);
    cwt_target_t *t = cw_reach(ctx, "put", dest, nbytes, pe, &delta);
    if (t) {
        cw_ctx_mark(ctx, t);
        cw_must(cw_transport->put(t->conn, (uintptr_t)dest + t->offset, src, nbytes, nbi), "put", pe);
    } else {
        copy((char *)dest + delta, src, nbytes);
        cw_local_stored(pe);
    }
    cw_ctx_leave(ctx);
}

static void __attribute__((noinline))
get_cold(cw_ctx_t *ctx, void *dest, const void *src, size_t nbytes, int pe, bool nbi)
{
    uintptr_t delta = 0;
    cw_ctx_enter(ctx);
    cwt_target_t *t = cw_reach(ctx, "get", src, nbytes, pe, &delta);
    if (t) {
        if (nbi)
            cw_ctx_mark(ctx, t);
        cw_must(cw_transport->get(t->conn, (uintptr_t)src + t->offset, dest, nbytes, nbi), "get", pe);
    } else {
        copy(dest, (const char *)src + delta, nbytes);
    }
    cw_ctx_leave(ctx);
}

void cw_put(cw_ctx_t *ctx, void *dest, const void *src, size_t nbytes, int pe)
{
    uintptr_t word = cw_peer_word(pe);
    if (!cw_word_is_local(word)) {
        put_cold(ctx, dest, src, nbytes, pe, false);
        return;
    }
    copy(cw_local_address(word, dest), src, nbytes);
    cw_local_stored(pe);
}

void cw_put_nbi(cw_ctx_t *ctx, void *dest, const void *src, size_t nbytes, int pe)
{
    uintptr_t word = cw_peer_word(pe);
    if (!cw_word_is_local(word)) {
        put_cold(ctx, dest, src, nbytes, pe, true);
        return;
    }
    copy(cw_local_address(word, dest), src, nbytes);
    cw_local_stored(pe);
}

void cw_get(cw_ctx_t *ctx, void *dest, const void *src, size_t nbytes, int pe)
{
    uintptr_t word = cw_peer_word(pe);
    if (!cw_word_is_local(word)) {
        get_cold(ctx, dest, src, nbytes, pe, false);
        return;
    }
    copy(dest, cw_local_address(word, src), nbytes);
}

void cw_get_nbi(cw_ctx_t *ctx, void *dest, const void *src, size_t nbytes, int pe)
{
    uintptr_t word = cw_peer_word(pe);
    if (!cw_word_is_local(word)) {
        get_cold(ctx, dest, src, nbytes, pe, true);
        return;
    }
    copy(dest, cw_local_address(word, src), nbytes);
}

void cw_put_scalar_cold(cw_ctx_t *ctx, void *dest, uint64_t bits, size_t nbytes, int pe)
{
    uintptr_t delta = 0;
    cw_ctx_enter(ctx);
    cwt_target_t *t = cw_reach(ctx, "put", dest, nbytes, pe, &delta);
    if (t) {
        cw_ctx_mark(ctx, t);
        cw_must(cw_transport->put(t->conn, (uintptr_t)dest + t->offset, &bits, nbytes, false), "put", pe);
    } else {
        cw_store_bits((char *)dest + delta, bits, nbytes);
        cw_local_stored(pe);
    }
    cw_ctx_leave(ctx);
}

_Static_assert(offsetof(cw_hot_t, peer) == 0 && offsetof(cw_hot_t, node) == 8 && offsetof(cw_hot_t, last) == 16 &&
                   offsetof(cw_hot_t, room) == 32,
               "put_scalar_x86_64.h");
_Static_assert(offsetof(cwt_target_t, inject) == 0 && offsetof(cwt_target_t, ep) == 8 &&
                   offsetof(cwt_target_t, fabric_addr) == 16 && offsetof(cwt_target_t, base) == 24 &&
                   offsetof(cwt_target_t, key) == 32 && offsetof(cwt_target_t, last) == 40,
               "put_scalar_x86_64.h");

void cw_put_scalar_off_node(void *dest, uint64_t bits, size_t nbytes, int pe, uintptr_t word)
{
    cwt_target_t *t = (cwt_target_t *)(word - 1);
    if (t == &cw_cold_target) {
        cw_put_scalar_cold(&cw_ctx_default, dest, bits, nbytes, pe);
        return;
    }
    cw_hot.last = word;
    t->last = (uint64_t)(uintptr_t)dest;
    if (t->inject(t->ep, &bits, nbytes, t->fabric_addr, (uintptr_t)dest + t->base, t->key))
        cw_put_scalar_retry(bits, nbytes);
    else if (--cw_hot.room < 0)
        cw_put_scalar_drain();
}

void cw_put_scalar_drain(void)
{
    cw_hot.room = CW_INJECT_ROOM;
    cw_quiet_cold(&cw_ctx_default);
}

void cw_put_scalar_retry(uint64_t bits, size_t nbytes)
{
    cwt_target_t *t = (cwt_target_t *)(cw_hot.last - 1);
    cw_must(cw_transport->put(t->conn, t->last + t->offset, &bits, nbytes, false), "put", -1);
}

uint64_t cw_get_scalar_cold(cw_ctx_t *ctx, const void *src, size_t nbytes, int pe)
{
    uintptr_t delta = 0;
    uint64_t bits = 0;
    cw_ctx_enter(ctx);
    cwt_target_t *t = cw_reach(ctx, "get", src, nbytes, pe, &delta);
    if (t)
        cw_must(cw_transport->get(t->conn, (uintptr_t)src + t->offset, &bits, nbytes, false), "get", pe);
    else
        bits = cw_load_bits((const char *)src + delta, nbytes);
    cw_ctx_leave(ctx);
    return bits;
}

void cw_quiet_cold(cw_ctx_t *ctx)
{
    cw_ctx_enter(ctx);
    if (ctx == &cw_ctx_default)
        cw_hot.last = 0;
    if (ctx->client) {
        int rc = cw_transport->quiet(ctx->client);
        if (rc)
            cwu_fatal("quiet failed (%s)", cwu_error_name(rc));
    }
    cw_ctx_leave(ctx);
}

void cw_fence_cold(cw_ctx_t *ctx)
{
    cw_ctx_enter(ctx);
    if (ctx->client) {
        int rc = cw_transport->fence(ctx->client);
        if (rc)
            cwu_fatal("fence failed (%s)", cwu_error_name(rc));
    }
    cw_ctx_leave(ctx);
}

void cw_quiet(cw_ctx_t *ctx)
{
    if (ctx == &cw_ctx_default)
        cw_quiet_default();
    else
        cw_quiet_cold(ctx);
}

void cw_fence(cw_ctx_t *ctx)
{
    if (ctx == &cw_ctx_default)
        cw_fence_default();
    else
        cw_fence_cold(ctx);
}
