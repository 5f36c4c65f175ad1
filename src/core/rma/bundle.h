// SPDX-License-Identifier: BSD-3-Clause
//
// Bundles: small puts, non-blocking gets, and atomics without a result or with one that is not
// waited for, that leave the default context for one node faster than messages do, and travel
// together without being asked (ADR 75, 89).
//
// The first operations after a pause are sent at once: the context counts them down, and only those
// behind are looked at. Where more came than that, all are looked at from the next pause on, as
// long as bundles pay, so that groups of some operations do not meet them (ADR 99). Of those looked
// at the first two to a node go at once, as does one to a node to which nothing was sent for a
// while. Others are appended to the bundle of their node, a CW_REQ_BATCH that its server executes
// in order. A bundle is sent when it is full, at each pause (quiet, fence, a wait, an operation of
// another kind), and when it has lain for some tens of microseconds (or half a millisecond, where
// its PE has sent all others soon: ADR 124): it lies in the node object, from where a thread of the
// node server's process takes it while this PE computes (flusher.c). That thread marks it first, so
// that a PE which goes on appending sends it itself.
//
//   FREE -> BUSY <-> OPEN -> AGED -> TAKEN -> FREE     BUSY: its PE writes into it; the flusher
//                     ^-BUSY-^  BUSY -> FREE (sent)    changes OPEN, AGED and TAKEN only
//
// What the flusher sends may overtake what its PE has sent before. A front end whose operations are
// in order (ARMCI) says so with each (cw_bundle_order_t): a bundle that such an operation opens is
// opened when all before it is proved to be executed (ADR 135).
//
// Threads: any, under the lock of the default context's port. Blocking: sending waits as requests
// do, and for a bundle that was taken.
#ifndef CW_CORE_RMA_BUNDLE_H
#define CW_CORE_RMA_BUNDLE_H

#include "core/mem/segment.h"
#include "core/rma/amo.h"
#include "core/rma/path.h"
#include "core/rma/request.h"

#define CW_BUNDLE_PUT_MAX 2048u  // bytes of a put; longer ones gain nothing
#define CW_BUNDLE_MAX 16000u     // bytes of a message, where the transport takes so many
#define CW_BUNDLE_GET_MAX 256u   // bytes of a get
#define CW_BUNDLES 32u           // of a PE, in its slice: nodes with something collected at a time

enum { CW_BUNDLE_FREE, CW_BUNDLE_BUSY, CW_BUNDLE_OPEN, CW_BUNDLE_AGED, CW_BUNDLE_TAKEN };

//  0 state | 4 serial | 8 node | 12 nbytes | 16 answers | 20 pad | 64 message; when the flusher has
//  sent it, the answers begin at its first record
typedef struct cw_bundle {
    CW_CACHE_ALIGNED _Atomic uint32_t state;
    _Atomic uint32_t serial;  // counts up with each use
    _Atomic uint32_t node;    // where it goes; the flusher looks before it owns the bundle
    uint32_t nbytes;          // of the message
    uint32_t answers;         // bytes of the reply; 0: none is due
    CW_CACHE_ALIGNED cw_req_batch_t req;
    uint64_t word[(CW_BUNDLE_MAX - sizeof(cw_req_batch_t)) / sizeof(uint64_t)];
} cw_bundle_t;
_Static_assert(sizeof(cw_bundle_t) == 64 + CW_BUNDLE_MAX, "shared between processes");
_Static_assert(CW_BUNDLE_MAX <= CWT_REQUEST_MAX, "a request");

// What the flusher does between two looks.
enum {
    CW_FLUSHER_AWAKE,  // it looks again soon
    CW_FLUSHER_RESTS,  // later; wakened for bundles that may have to be taken
    CW_FLUSHER_ASLEEP  // when it is wakened
};

/** In the control area. */
typedef struct cw_flusher {
    _Atomic uint32_t state;  // futex: CW_FLUSHER_...
} CW_CACHE_ALIGNED cw_flusher_t;

extern cw_section_t cw_flusher_section;  // in the control area
extern cw_section_t cw_bundle_section;   // in each slice
cw_bundle_t *cw_bundles_of(int slot);
cw_flusher_t *cw_flusher(void);

typedef enum cw_bundle_reason {
    CW_BUNDLE_FULL,
    CW_BUNDLE_QUIET,
    CW_BUNDLE_FENCE,
    CW_BUNDLE_WAIT,
    CW_BUNDLE_ORDER,     // another operation
    CW_BUNDLE_TOO_OLD,   // sent by its PE
    CW_BUNDLE_BY_SERVER  // too, by the flusher
} cw_bundle_reason_t;
enum { CW_BUNDLE_REASONS = CW_BUNDLE_BY_SERVER + 1 };

typedef struct cw_bundle_stats {
    uint64_t operations, nbytes;  // that were bundled; of the messages
    uint64_t sent[CW_BUNDLE_REASONS];
} cw_bundle_stats_t;

/** What the next operation may have to wait for. Each is cleared behind what makes it needless. */
enum {
    CW_BUNDLES_BUSY = 1,  // an operation was looked at since the last pause
    CW_BUNDLES_PUTS = 2   // a bundle with puts has been sent since the last quiet
};

// State of the default context's port. What may be read without its lock is atomic.
typedef struct cw_bundles {
    _Atomic bool atomics, puts;  // are they bundled?
    _Atomic bool ordered;        // those that are in order
    _Atomic uint8_t due;         // CW_BUNDLES_...
    _Atomic bool looked;         // was an operation looked at since the last pause?
    // puts could be bundled
    bool may CW_DEFAULT_PORT_GUARDS;
    // has a bundle been sent since the last quiet?
    bool sent CW_DEFAULT_PORT_GUARDS;
    // since the last quiet there was a fence that waited for nothing
    bool fenced CW_DEFAULT_PORT_GUARDS;
    // its thread must not come here again from a wait
    bool sending CW_DEFAULT_PORT_GUARDS;
    uint32_t pauses CW_DEFAULT_PORT_GUARDS;
    // operations behind a pause before one is looked at, and that number when bundles no longer pay
    int32_t at_once CW_DEFAULT_PORT_GUARDS, group CW_DEFAULT_PORT_GUARDS;
    // intervals in a row with nothing to collect
    uint32_t few CW_DEFAULT_PORT_GUARDS;
    // bundles since that pause, and stats.operations then, and stats.sent[CW_BUNDLE_FULL]
    uint32_t messages CW_DEFAULT_PORT_GUARDS;
    uint64_t counted CW_DEFAULT_PORT_GUARDS, counted_full CW_DEFAULT_PORT_GUARDS;
    // bundles that this PE has sent soon after they opened, as counted
    uint32_t prompt CW_DEFAULT_PORT_GUARDS;
    // ways with a bundle
    cw_way_t *filled CW_DEFAULT_PORT_GUARDS;
    cw_bundle_stats_t stats CW_DEFAULT_PORT_GUARDS;
} cw_bundles_t;
extern cw_bundles_t cw_bundles CW_HIDDEN;

/** Could this job have bundles? At init, and for what serves them. */
bool cw_bundles_possible(void);
/** Bytes of the messages of small operations on a connection. */
uint32_t cw_bundle_most(const cwt_conn_t *conn);
/** The default context's port is open: decides. */
void cw_bundles_open(void) CW_DEFAULT_PORT_HELD;
void cw_bundles_close(void);

/** A put or an atomic without a result. False: to be sent at once. Takes the lock. */
bool cw_bundle_collect(cw_path_t *path, const void *addr, unsigned kind, const void *src,
                       size_t nbytes);
/** A record of kind CW_BATCH_MESSAGE, of which the caller knows that it is one of many; field: what
 *  stands for the offset. No quiet waits for it alone. False: to be sent at once. */
bool cw_bundle_collect_message(cw_path_t *path, uint64_t field, const void *src, size_t nbytes);

/** An operation that is in order behind those before it. */
typedef struct cw_bundle_order {
    bool behind;  // something was sent otherwise, which it must not overtake
    bool proved;  // set: all that was sent or collected before it is executed
} cw_bundle_order_t;
// The same for these. kind: CW_BATCH_PUT, CW_BATCH_ADD and a part.
bool cw_bundle_look_ordered(cw_path_t *path, const void *addr, unsigned kind, const void *src,
                            size_t nbytes, cw_bundle_order_t *order);
bool cw_bundle_look_get_ordered(cw_path_t *path, void *dest, const void *src, size_t nbytes,
                                cw_bundle_order_t *order);

/** Sends what was collected. */
void cw_bundles_send(cw_bundle_reason_t reason);
void cw_bundles_send_locked(cw_bundle_reason_t reason) CW_DEFAULT_PORT_HELD;
/** The same, which is no pause: what is in order behind it goes another way. */
void cw_bundles_flush(void);
void cw_bundles_flush_locked(void) CW_DEFAULT_PORT_HELD;
/** All that was sent to nodes is proved to be executed. */
void cw_bundles_proved(void) CW_DEFAULT_PORT_HELD;
/** The same, if the lock is free and this thread is not about it; for waits. */
void cw_bundles_try_send(void);
void cw_bundles_before_get(void);

static CW_ALWAYS_INLINE bool cw_bundles_take(const _Atomic bool *which)
{
    return atomic_load_explicit(which, memory_order_relaxed);
}

/** Of CW_BUNDLES_... A thread sees what it has collected itself, until it was sent. */
static CW_ALWAYS_INLINE unsigned cw_bundles_due(void)
{
    return atomic_load_explicit(&cw_bundles.due, memory_order_acquire);
}

/** Is anything due? */
static CW_ALWAYS_INLINE bool cw_bundles_any_due(void)
{
    bool any;
#if defined(__x86_64__)  // a load of an atomic is one instruction more
    __asm__("cmpb $0, %1" : "=@ccne"(any) : "m"(cw_bundles.due));
#else
    any = cw_bundles_due() != 0;
#endif
    return any;
}

static inline void cw_bundles_note(unsigned due) CW_DEFAULT_PORT_HELD;
static inline void cw_bundles_note(unsigned due)
{
    // behind what made it less; pairs with the loads, in threads whose operations were sent
    atomic_store_explicit(&cw_bundles.due, (uint8_t)due, memory_order_release);
}

/** A pause of the default context: the next operations are not looked at. */
static inline void cw_bundles_rest(void) CW_DEFAULT_PORT_HELD;
static inline void cw_bundles_rest(void)
{
    __atomic_store_n(&cw_ctx_default.direct, cw_bundles.at_once, __ATOMIC_RELAXED);
}

// Operations that are looked at. False: to be sent at once. No lock held, for these and what
// follows.
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

/** Before an operation that is in order behind others of this PE, or waits. */
static CW_ALWAYS_INLINE void cw_bundles_pause(cw_bundle_reason_t reason)
{
    if (CW_UNLIKELY(cw_bundles_due() & CW_BUNDLES_BUSY))
        cw_bundles_send(reason);
}

/** Before a request that is in order behind what was collected. */
static CW_ALWAYS_INLINE void cw_bundles_pass(void)
{
    if (CW_UNLIKELY(cw_bundles_any_due()))
        cw_bundles_flush();
}

/** A blocking get is about to start. */
static CW_ALWAYS_INLINE void cw_bundles_get(void)
{
    if (CW_UNLIKELY(cw_bundles_due()))
        cw_bundles_before_get();
}

// ---------------------------------------------------------------- values (fetches.c)
/** Where the values of one bundle go. Its owner frees it by cw_fetches_take, or its reply does. */
typedef struct cw_fetches cw_fetches_t;
/** fetches_p: NULL before the first. There is room: CW_BATCH_ANSWERS. */
void cw_fetches_add(cw_fetches_t **fetches_p, void *dest, size_t nbytes);
cwt_reply_t *cw_fetches_reply(cw_fetches_t *fetches);
/** The values have come. */
void cw_fetches_take(cw_fetches_t *fetches, const void *values, size_t nbytes);

// ---------------------------------------------------------------- the flusher (flusher.c)
/** Starts and ends the thread, in the process of the node server. It connects to nodes, so it ends
 *  before any node may, and waits for what it sends; from then on PEs send all themselves. */
int cw_flusher_start(void);
void cw_flusher_stop(void);
void cw_flusher_wake(void);

#endif
