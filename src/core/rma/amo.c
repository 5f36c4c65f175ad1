// SPDX-License-Identifier: BSD-3-Clause
//
// Atomics off the node: by the node server, or the NIC where the job decided so at start; and
// computed ones.
#include "core/rma/amo.h"

#include <stdlib.h>

#include "core/mem/foreign.h"
#include "core/observe/watch.h"
#include "core/path/bundle.h"
#include "core/port/ctx.h"
#include "core/port/words.h"
#include "core/rma/batch.h"
#include "core/rma/rma.h"
#include "core/rma/send.h"
#include "core/route/request.h"

uint64_t cw_amo_poll_again(const void *p, size_t nbytes, uint64_t value)
{
    void *word = (void *)(uintptr_t)p;
    return cw_wait_fetched_again(p) ? cw_amo_local(word, CW_AMO_FETCH, nbytes, 0, 0) : value;
}

uint64_t cw_amo_left(const void *p, uint64_t value)
{
    if (cw_wait_fetched(p, value))
        cw_wait_fetched_again(p);
    return value;
}

/** The transport fills in the rest; nothing may be undefined on the wire. */
static CW_ALWAYS_INLINE void amo_request(cw_req_amo_t *req, const cwt_target_t *t, const void *addr,
                                         uint32_t kind, uint64_t operand, uint64_t compare)
{
    cw_header_name(&req->header, CW_REQ_AMO, 0);
    req->offset = (uintptr_t)addr + t->offset;
    req->operand = operand;
    req->compare = compare;
    req->kind = kind;
}

static CW_ALWAYS_INLINE cw_amo_op_t op_of(uint32_t kind)
{
    return (cw_amo_op_t)(kind & 0xffff);
}

static CW_ALWAYS_INLINE size_t nbytes_of(uint32_t kind)
{
    return kind >> 16;
}

/** Where atomics are the NIC's they go through it within the node, too. */
static const cwt_target_t *reach(cw_ctx_t *ctx, int rank, uintptr_t *delta_p)
{
    if (!cw_world.nic_atomics)
        return cw_request_reach(ctx, "atomic", rank, delta_p);
    const cwt_target_t *t = cw_reach(ctx, "atomic", rank, delta_p);
    return t ? t : cw_ctx_connect(ctx, rank);
}

/** Atomics go to its own node where the NIC has none. */
static bool is_routed(const cw_ctx_t *ctx, int rank, int *node_p)
{
    *node_p = cw_ctx_node(ctx, rank);
    return cw_routed_is_on() && *node_p != cw_world.node;
}

static uint64_t apply_here(cw_ctx_t *ctx, void *p, cw_amo_op_t op, size_t nbytes, uint64_t operand,
                           uint64_t compare, int rank)
{
    uint64_t old = cw_amo_local(p, op, nbytes, operand, compare);
    if (op != CW_AMO_FETCH)
        cw_ctx_stored(ctx, rank);
    return old;
}

/** The provider's server has refused: atomics are the node servers' and the CPU's. All PEs, on one
 *  provider, come to this at their first one. */
static void leave_nic(cw_ctx_t *ctx)
{
    __atomic_store_n(&cw_world.nic_atomics, false, __ATOMIC_RELAXED);
    cw_words_choose(ctx);
    cw_words_choose(&cw_ctx_default);
}

/** Executed by the NIC, if it does the job's atomics. */
static bool native(cw_ctx_t *ctx, const cwt_target_t *t, const void *addr, cw_amo_op_t op,
                   size_t nbytes, uint64_t operand, uint64_t compare, int rank, uint64_t *old_p)
{
    if (!cw_world.nic_atomics)
        return false;
    uint64_t old = 0;
    int rc = cw_transport->amo(t->conn, (uintptr_t)addr + t->offset, op, (int)nbytes, operand,
                               compare, &old);
    if (rc == CW_ENOTSUP) {
        leave_nic(ctx);
        return false;
    }
    cw_ctx_must(rc, "atomic", ctx, rank);
    *old_p = nbytes == 4 ? (uint32_t)old : old;
    return true;
}

static CW_ALWAYS_INLINE uint64_t fetch(cw_ctx_t *ctx, const cwt_target_t *t, const void *addr,
                                       uint32_t kind, uint64_t operand, uint64_t compare, int rank)
{
    uint64_t old = 0;
    cw_req_amo_t req;
    amo_request(&req, t, addr, kind, operand, compare);
    cwt_reply_t reply;  // the transport sets the rest
    reply.buf = &old;
    reply.capacity = sizeof old;
    reply.arrived = NULL;
    int rc = cw_transport->request(t->conn, &req.header, sizeof req, &reply);
    if (CW_LIKELY(rc == 0))
        rc = cw_transport->wait(ctx->port->client, &reply);
    cw_ctx_must(rc, "atomic", ctx, rank);
    return old;
}

static uint64_t fetch_routed(cw_ctx_t *ctx, const cwt_target_t *t, const void *addr, uint32_t kind,
                             uint64_t operand, uint64_t compare, int rank, int node)
{
    uint64_t old = 0;
    cw_req_amo_t req;
    amo_request(&req, t, addr, kind, operand, compare);
    cwt_reply_t reply = {.buf = &old, .capacity = sizeof old};
    cw_ctx_must(cw_routed_fetch(node, &req.header, sizeof req, &reply), "atomic", ctx, rank);
    return old;
}

/** True: done, on a device's memory. old_p: NULL: not wanted. */
static bool foreign(cw_ctx_t *ctx, void *addr, uint32_t kind, uint64_t operand, uint64_t compare,
                    int rank, uint64_t *old_p)
{
    const cw_foreign_amo_t amo = {addr, op_of(kind), nbytes_of(kind), operand, compare};
    return CW_UNLIKELY(cw_foreign != NULL) && cw_foreign->amo(ctx, &amo, rank, old_p);
}

static CW_NOINLINE uint64_t remote_cold(void *addr, uint64_t operand, int rank, cw_ctx_t *ctx,
                                        uint32_t kind, uint64_t compare)
{
    uintptr_t delta = 0;
    cw_amo_op_t op = op_of(kind);
    size_t nbytes = nbytes_of(kind);
    CW_WATCH(cw_ctx_watch(ctx, CW_OP_ATOMIC_FETCH, addr, NULL, nbytes, rank));
    uint64_t old = 0;
    if (foreign(ctx, addr, kind, operand, compare, rank, &old))
        return old;
    const cwt_target_t *t = reach(ctx, rank, &delta);
    if (!t)
        return apply_here(ctx, cw_local_address(delta, addr), op, nbytes, operand, compare, rank);
    cw_batch_pass(ctx, rank);
    int node;
    if (native(ctx, t, addr, op, nbytes, operand, compare, rank, &old))
        return old;
    if (is_routed(ctx, rank, &node))
        return fetch_routed(ctx, t, addr, kind, operand, compare, rank, node);
    return fetch(ctx, t, addr, kind, operand, compare, rank);
}

static CW_ALWAYS_INLINE uint64_t remote(void *addr, uint64_t operand, int rank, uintptr_t word,
                                        cw_ctx_t *ctx, uint32_t kind, uint64_t compare)
{
    const cwt_target_t *t = cw_warm_target(word);
    if (CW_LIKELY(t != NULL) && CW_LIKELY(!cw_bundles_any_due()))
        return fetch(ctx, t, addr, kind, operand, compare, rank);
    return remote_cold(addr, operand, rank, ctx, kind, compare);
}

uint64_t cw_amo_remote_plain(void *addr, uint64_t operand, int rank, uintptr_t word, uint32_t kind)
{
    return remote(addr, operand, rank, word, &cw_ctx_default, kind, 0);
}

uint64_t cw_amo_remote(cw_ctx_t *ctx, void *addr, uint64_t operand, int rank, uint32_t kind)
{
    return remote(addr, operand, rank, cw_amo_word(ctx, rank), ctx, kind, 0);
}

uint64_t cw_amo_remote_cswap_plain(void *addr, uint64_t compare, uint64_t operand, int rank,
                                   uintptr_t word, uint32_t kind)
{
    return remote(addr, operand, rank, word, &cw_ctx_default, kind, compare);
}

uint64_t cw_amo_remote_cswap(cw_ctx_t *ctx, void *addr, uint64_t compare, uint64_t operand,
                             int rank, uint32_t kind)
{
    return remote(addr, operand, rank, cw_amo_word(ctx, rank), ctx, kind, compare);
}

static CW_ALWAYS_INLINE void post(cw_ctx_t *ctx, const cwt_target_t *t, const void *addr,
                                  uint32_t kind, uint64_t operand, int rank)
{
    cw_req_amo_t req;
    amo_request(&req, t, addr, kind, operand, 0);
    cw_ctx_must(cw_transport->request(t->conn, &req.header, sizeof req, NULL), "atomic", ctx, rank);
    cw_ctx_mark(ctx);
}

static void post_routed(cw_ctx_t *ctx, const cwt_target_t *t, const void *addr, uint32_t kind,
                        uint64_t operand, int rank, int node)
{
    cw_req_amo_t req;
    amo_request(&req, t, addr, kind, operand, 0);
    cw_ctx_must(cw_routed_send(node, &req.header, sizeof req, NULL), "atomic", ctx, rank);
    cw_ctx_mark(ctx);
}

/** signals: not collected. */
static CW_NOINLINE void post_cold(void *addr, uint64_t operand, int rank, bool signals,
                                  uint32_t kind, cw_ctx_t *ctx)
{
    uintptr_t delta = 0;
    uint64_t old;
    int node;
    cw_amo_op_t op = op_of(kind);
    size_t nbytes = nbytes_of(kind);
    CW_WATCH(cw_ctx_watch(ctx, CW_OP_ATOMIC, addr, NULL, nbytes, rank));
    if (foreign(ctx, addr, kind, operand, 0, rank, NULL))
        return;
    const cwt_target_t *t = reach(ctx, rank, &delta);
    if (!t)
        apply_here(ctx, cw_local_address(delta, addr), op, nbytes, operand, 0, rank);
    else if (cw_batch_amo(ctx, rank, t, addr, op, nbytes, operand) ||
             native(ctx, t, addr, op, nbytes, operand, 0, rank, &old))
        return;
    else if (is_routed(ctx, rank, &node))
        post_routed(ctx, t, addr, kind, operand, rank, node);
    else if (signals || !cw_bundle_amo(ctx, t, addr, op, nbytes, operand))
        post(ctx, t, addr, kind, operand, rank);
}

/** More have come than go at once. */
static CW_NOINLINE void post_looked_at(void *addr, uint64_t operand, int rank, uintptr_t word,
                                       uint32_t kind, cw_ctx_t *ctx)
{
    const cwt_target_t *t = cw_word_target(word);
    if (!cw_bundle_look_amo(ctx, t, addr, op_of(kind), nbytes_of(kind), operand))
        post(ctx, t, addr, kind, operand, rank);
}

static CW_ALWAYS_INLINE void remote_post(void *addr, uint64_t operand, int rank, uintptr_t word,
                                         uint32_t kind, cw_ctx_t *ctx)
{
    const cwt_target_t *t = cw_warm_target(word);
    if (CW_UNLIKELY(!t))
        post_cold(addr, operand, rank, false, kind, ctx);
    else if (CW_UNLIKELY(cw_count_down(&ctx->direct)))
        post_looked_at(addr, operand, rank, word, kind, ctx);
    else
        post(ctx, t, addr, kind, operand, rank);
}

void cw_amo_remote_post_plain(void *addr, uint64_t operand, int rank, uintptr_t word, uint32_t kind)
{
    remote_post(addr, operand, rank, word, kind, &cw_ctx_default);
}

void cw_amo_remote_post(cw_ctx_t *ctx, void *addr, uint64_t operand, int rank, uint32_t kind)
{
    remote_post(addr, operand, rank, cw_amo_word(ctx, rank), kind, ctx);
}

void cw_amo_remote_signal(cw_ctx_t *ctx, void *addr, cw_amo_op_t op, size_t nbytes,
                          uint64_t operand, int rank)
{
    const cwt_target_t *t = cw_warm_target(cw_amo_word(ctx, rank));
    uint32_t kind = cw_amo_kind(op, nbytes);
    cw_bundles_pause(CW_BUNDLE_ORDER);
    if (CW_LIKELY(t != NULL))
        post(ctx, t, addr, kind, operand, rank);
    else
        post_cold(addr, operand, rank, true, kind, ctx);
}

void cw_amo_remote_notify(uint64_t *word, uint64_t value, int pe)
{
    cw_ctx_t *ctx = &cw_ctx_default;
    const cwt_target_t *t = cw_warm_target(cw_amo_word(ctx, pe));
    if (CW_UNLIKELY(!t)) {
        cw_amo_remote_signal(ctx, word, CW_AMO_SET, sizeof *word, value, pe);
        return;
    }
    cw_bundles_pause(CW_BUNDLE_ORDER);
    cw_req_amo_t req;
    amo_request(&req, t, word, cw_amo_kind(CW_AMO_SET, sizeof *word), value, 0);
    cw_ctx_must(cw_transport->request(t->conn, &req.header, sizeof req, NULL), "atomic", ctx, pe);
}

/** Its reply is written to the user's variable on arrival. */
typedef struct fetch_nbi {
    cwt_reply_t reply;  // first: `arrived` gets its address
    void *fetch;
    size_t nbytes;
} fetch_nbi_t;

static void fetch_arrived(cwt_reply_t *reply, const void *payload, size_t nbytes)
{
    fetch_nbi_t *f = (fetch_nbi_t *)reply;
    if (nbytes >= f->nbytes)
        memcpy(f->fetch, payload, f->nbytes);
    free(f);
}

/** True: done, on a device or with a result there. */
static CW_NOINLINE bool foreign_nbi(cw_ctx_t *ctx, void *fetch, void *addr, uint32_t kind,
                                    uint64_t operand, uint64_t compare, int rank)
{
    uint64_t old = 0;
    if (!foreign(ctx, addr, kind, operand, compare, rank, &old)) {
        if (!cw_foreign_holds(fetch))
            return false;
        old = remote_cold(addr, operand, rank, ctx, kind, compare);
    }
    cw_foreign->store(fetch, &old, nbytes_of(kind));
    return true;
}

static void fetch_nbi(cw_ctx_t *ctx, const cwt_target_t *t, void *fetch, const void *addr,
                      cw_amo_op_t op, size_t nbytes, uint64_t operand, uint64_t compare, int rank)
{
    fetch_nbi_t *f = malloc(sizeof *f);
    if (!f)
        cwu_fatal("out of memory in a non-blocking fetching atomic");
    *f = (fetch_nbi_t){.reply = {.arrived = fetch_arrived, .capacity = sizeof operand},
                       .fetch = fetch,
                       .nbytes = nbytes};
    cw_req_amo_t req;
    int node;
    amo_request(&req, t, addr, cw_amo_kind(op, nbytes), operand, compare);
    int rc = is_routed(ctx, rank, &node)
                 ? cw_routed_send(node, &req.header, sizeof req, &f->reply)
                 : cw_transport->request(t->conn, &req.header, sizeof req, &f->reply);
    cw_ctx_must(rc, "atomic", ctx, rank);
    cw_ctx_mark(ctx);
}

void cw_amo_remote_nbi(cw_ctx_t *ctx, void *fetch, void *addr, cw_amo_op_t op, size_t nbytes,
                       uint64_t operand, uint64_t compare, int rank)
{
    uintptr_t delta = 0;
    uint64_t old;
    CW_WATCH_OR(cw_ctx_watch(ctx, CW_OP_ATOMIC_NBI, addr, fetch, nbytes, rank),
                foreign_nbi(ctx, fetch, addr, cw_amo_kind(op, nbytes), operand, compare, rank));
    const cwt_target_t *t = reach(ctx, rank, &delta);
    if (t && cw_batch_is_on(ctx))
        cw_batch_pass(ctx, rank);
    else if (t && cw_bundle_amo_fetch(ctx, t, fetch, addr, op, nbytes, operand, compare))
        return;
    if (!t) {
        old = apply_here(ctx, cw_local_address(delta, addr), op, nbytes, operand, compare, rank);
    } else if (!native(ctx, t, addr, op, nbytes, operand, compare, rank, &old)) {
        fetch_nbi(ctx, t, fetch, addr, op, nbytes, operand, compare, rank);
        return;
    }
    memcpy(fetch, &old, nbytes);  // little-endian
}

/** To and from devices, too. */
static void put_complete(cw_ctx_t *ctx, void *dest, const void *src, size_t nbytes, int rank)
{
    if (CW_LIKELY(!cw_foreign)) {
        cw_put_complete(ctx, dest, src, nbytes, rank);
        return;
    }
    cw_put(ctx, dest, src, nbytes, rank);
    cw_quiet(ctx);
}

void cw_put_signal(cw_ctx_t *ctx, void *dest, const void *src, size_t nbytes, uint64_t *sig,
                   uint64_t value, cw_amo_op_t op, int rank, bool nbi)
{
    CW_WATCH(cw_ctx_watch(ctx, CW_OP_PUT_SIGNAL, dest, src, nbytes, rank));
    if (cw_routed_is_on())
        put_complete(ctx, dest, src, nbytes, rank);
    else
        (nbi ? cw_put_nbi : cw_put)(ctx, dest, src, nbytes, rank);
    // release here; off-node in order behind the data or its completion
    cw_amo_signalling(ctx, sig, op, sizeof *sig, value, rank);
}

// ---------------------------------------------------------------- computed ones
// Integers wrap, so signed products are unsigned ones. A comparison with a NaN keeps `a`; b is the
// operand.
#define COMPUTE(bits, sign, real)                                                            \
    static bits compute_##bits(cw_amo_op_t op, bits a, bits b)                               \
    {                                                                                        \
        real x, y;                                                                           \
        memcpy(&x, &a, sizeof x);                                                            \
        memcpy(&y, &b, sizeof y);                                                            \
        switch (op) {                                                                        \
        case CW_AMO_MULT:                                                                    \
            return a * b;                                                                    \
        case CW_AMO_MIN:                                                                     \
            return (sign)b < (sign)a ? b : a;                                                \
        case CW_AMO_MAX:                                                                     \
            return (sign)b > (sign)a ? b : a;                                                \
        case CW_AMO_UMIN:                                                                    \
            return b < a ? b : a;                                                            \
        case CW_AMO_UMAX:                                                                    \
            return b > a ? b : a;                                                            \
        case CW_AMO_FMIN:                                                                    \
            return y < x ? b : a;                                                            \
        case CW_AMO_FMAX:                                                                    \
            return y > x ? b : a;                                                            \
        case CW_AMO_FADD:                                                                    \
            x += y;                                                                          \
            break;                                                                           \
        default:                                                                             \
            x *= y;                                                                          \
            break;                                                                           \
        }                                                                                    \
        memcpy(&a, &x, sizeof a);                                                            \
        return a;                                                                            \
    }                                                                                        \
                                                                                             \
    static bits repeat_##bits(bits *p, cw_amo_op_t op, bits operand)                         \
    {                                                                                        \
        bits old = __atomic_load_n(p, __ATOMIC_RELAXED);                                     \
        while (!__atomic_compare_exchange_n(p, &old, compute_##bits(op, old, operand), true, \
                                            __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))             \
            ;                                                                                \
        return old;                                                                          \
    }
COMPUTE(uint32_t, int32_t, float)
COMPUTE(uint64_t, int64_t, double)

uint64_t cw_amo_compute(void *p, cw_amo_op_t op, size_t nbytes, uint64_t operand)
{
    return nbytes == 4 ? repeat_uint32_t(p, op, (uint32_t)operand)
                       : repeat_uint64_t(p, op, operand);
}
