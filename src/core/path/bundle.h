// SPDX-License-Identifier: BSD-3-Clause
//
// Bundles: small puts, non-blocking gets, and atomics that no call waits for travel together when
// they leave the default context faster than messages do (ADR 75, 89; docs/design/bundles.md). The
// collector decides; this is its memory in the node object, its records, and its transport.
//
// For a front end in order (ARMCI) a bundle opens when all before it is proved (cw_bundle_order_t,
// ADR 135).
//
// Threads: any, under the lock of the default port. Blocking: sending, as requests do, and for a
// bundle that was taken.
#ifndef CW_CORE_PATH_BUNDLE_H
#define CW_CORE_PATH_BUNDLE_H

#include "core/collect/collect.h"
#include "core/mem/segment.h"
#include "core/path/path.h"
#include "core/route/request.h"

#define CW_BUNDLE_PUT_MAX 2048u  // bytes; longer puts gain nothing
#define CW_BUNDLE_GET_MAX 256u   // bytes
#define CW_BUNDLES 32u           // of a PE: nodes with something collected at a time

_Static_assert(CW_BUNDLE_MAX <= CWT_REQUEST_MAX, "a request");
_Static_assert((CW_DUE_PATHS | CW_DUE_ROUTED) > (CW_BUNDLES_AHEAD | CW_BUNDLES_UNPROVED) &&
                   !((CW_DUE_PATHS | CW_DUE_ROUTED) & (CW_BUNDLES_AHEAD | CW_BUNDLES_UNPROVED)),
               "one word");
_Static_assert(CW_BUNDLE_HEADER == sizeof(cw_req_batch_t) && CW_BUNDLE_ANSWERS == CW_BATCH_ANSWERS,
               "wire format");

typedef struct cw_flusher {
    _Atomic uint32_t state;  // futex: CW_FLUSHER_...
} CW_CACHE_ALIGNED cw_flusher_t;

extern cw_section_t cw_flusher_section;
extern cw_section_t cw_bundle_section;   // in each slice
cw_bundle_t *cw_bundles_of(int slot);
cw_flusher_t *cw_flusher(void);

// Of the default port. What is read without its lock is atomic.
typedef struct cw_bundles {
    _Atomic bool atomics, puts;  // are they bundled?
    _Atomic bool ordered;        // operations in order are
    _Atomic bool looked;         // an operation was looked at since the last pause
    // puts could be bundled
    bool may CW_DEFAULT_PORT_GUARDS;
    cw_collect_t collect CW_DEFAULT_PORT_GUARDS;
} cw_bundles_t;
extern cw_bundles_t cw_bundles CW_HIDDEN;

bool cw_bundles_possible(void);
/** Bytes of a message of small operations. */
uint32_t cw_bundle_most(const cwt_conn_t *conn);
/** Decides, as the default port opens. */
void cw_bundles_open(void) CW_DEFAULT_PORT_HELD;
void cw_bundles_close(void);

/** A front end's operations are in order: only puts and gets that say so are collected. While no
 *  other thread puts. */
void cw_ctx_puts_in_order(void);

/** A put, or an atomic without a result. False: send it at once. Takes the lock. */
bool cw_bundle_collect(cw_path_t *path, const void *addr, unsigned kind, const void *src,
                       size_t nbytes);
/** A record of kind CW_BATCH_MESSAGE, known to be one of many; field: in place of the offset. No
 *  quiet waits for it alone. False: send it at once. */
bool cw_bundle_collect_message(cw_path_t *path, uint64_t field, const void *src, size_t nbytes);

// For operations in order. kind: CW_BATCH_PUT, CW_BATCH_ADD and a part.
bool cw_bundle_look_ordered(cw_path_t *path, const void *addr, unsigned kind, const void *src,
                            size_t nbytes, cw_bundle_order_t *order);
bool cw_bundle_look_get_ordered(cw_path_t *path, void *dest, const void *src, size_t nbytes,
                                cw_bundle_order_t *order);

/** A pause: sends all. */
void cw_bundles_send(cw_bundle_reason_t reason);
/** Sends all without a pause: something in order behind it goes another way. */
void cw_bundles_flush(void);
/** From waits: a pause if the lock is free and this thread is not sending. */
void cw_bundles_try_send(void);
void cw_bundles_before_get(void);
/** All that was sent is executed. Lock of the default port held. */
void cw_bundles_proved(void);

static CW_ALWAYS_INLINE bool cw_bundles_take(const _Atomic bool *which)
{
    return atomic_load_explicit(which, memory_order_relaxed);
}

/** CW_BUNDLES_... A thread sees its own collected operations until they are sent. */
static CW_ALWAYS_INLINE unsigned cw_bundles_due(void)
{
    return cw_port_due(&cw_port_default);
}

/** Is anything due that other operations may have to wait for? */
static CW_ALWAYS_INLINE bool cw_bundles_any_due(void)
{
    return cw_port_owes(&cw_port_default, CW_BUNDLES_AHEAD);
}

/** Are operations looked at from the first after a pause on? */
static inline bool cw_bundles_flooded(void) CW_DEFAULT_PORT_HELD;
static inline bool cw_bundles_flooded(void)
{
    return cw_bundles.collect.at_once == 0;
}

// Looked at. False: send it at once. No lock held, here and below.
bool cw_bundle_look_put(cw_ctx_t *ctx, const cwt_target_t *t, const void *dest, const void *src,
                        size_t nbytes);
bool cw_bundle_look_get(cw_ctx_t *ctx, const cwt_target_t *t, void *dest, const void *src,
                        size_t nbytes);
bool cw_bundle_look_amo(cw_ctx_t *ctx, const cwt_target_t *t, const void *addr, cw_amo_op_t op,
                        size_t nbytes, uint64_t operand);
bool cw_bundle_look_fetch(cw_ctx_t *ctx, const cwt_target_t *t, void *fetch, const void *addr,
                          cw_amo_op_t op, size_t nbytes, uint64_t operand, uint64_t compare);

static CW_ALWAYS_INLINE bool cw_bundle_put(cw_ctx_t *ctx, const cwt_target_t *t, const void *dest,
                                           const void *src, size_t nbytes)
{
    return CW_UNLIKELY(cw_count_down(&ctx->direct)) &&
           cw_bundle_look_put(ctx, t, dest, src, nbytes);
}

static CW_ALWAYS_INLINE bool cw_bundle_amo(cw_ctx_t *ctx, const cwt_target_t *t, const void *addr,
                                           cw_amo_op_t op, size_t nbytes, uint64_t operand)
{
    return CW_UNLIKELY(cw_count_down(&ctx->direct)) &&
           cw_bundle_look_amo(ctx, t, addr, op, nbytes, operand);
}

static CW_ALWAYS_INLINE bool cw_bundle_get(cw_ctx_t *ctx, const cwt_target_t *t, void *dest,
                                           const void *src, size_t nbytes)
{
    return CW_UNLIKELY(cw_count_down(&ctx->direct)) &&
           cw_bundle_look_get(ctx, t, dest, src, nbytes);
}

static CW_ALWAYS_INLINE bool cw_bundle_amo_fetch(cw_ctx_t *ctx, const cwt_target_t *t, void *fetch,
                                                 const void *addr, cw_amo_op_t op, size_t nbytes,
                                                 uint64_t operand, uint64_t compare)
{
    return CW_UNLIKELY(cw_count_down(&ctx->direct)) &&
           cw_bundle_look_fetch(ctx, t, fetch, addr, op, nbytes, operand, compare);
}

/** Before an operation that is in order behind others, or waits. */
static CW_ALWAYS_INLINE void cw_bundles_pause(cw_bundle_reason_t reason)
{
    if (CW_UNLIKELY(cw_port_owes(&cw_port_default, CW_BUNDLES_BUSY)))
        cw_bundles_send(reason);
}

/** Before a request in order behind what was collected. */
static CW_ALWAYS_INLINE void cw_bundles_pass(void)
{
    if (CW_UNLIKELY(cw_bundles_any_due()))
        cw_bundles_flush();
}

/** Before a blocking get. */
static CW_ALWAYS_INLINE void cw_bundles_get(void)
{
    if (CW_UNLIKELY(cw_bundles_any_due()))
        cw_bundles_before_get();
}

// ---------------------------------------------------------------- the flusher (flusher.c)
/** In the node server's process. It connects to nodes, so it ends before any node may, after what
 *  it sends; then PEs send all themselves. */
int cw_flusher_start(void);
void cw_flusher_stop(void);
void cw_flusher_wake(void);

#endif
