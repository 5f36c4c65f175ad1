// SPDX-License-Identifier: BSD-3-Clause
//
// The hot paths' data: contexts and peer words. What a put, get or atomic to a PE of the same node
// costs is inlined from here; everything else leaves through a record of the connection.
//
// A context is where operations are issued. One word per PE, ctx->peer[rank], says how to reach it:
//   bit 0 clear   the PE's memory is mapped here: my symmetric address + word = its address
//                 (own PE: 0)
//   bit 0 set     word - 1 is a cwt_target_t; a cold one (core/rma/cold.c) stands for "not
//                 connected yet", "not initialised", "every transfer is observed", "batched" and
//                 "destroyed"
// A table takes 8 bytes per PE because placement need not be regular. It is indexed by the rank in
// the context's team, so that team-relative numbers cost nothing; in the default context ranks are
// PE numbers. Contexts that have not left the node share one table (core/rma/words.h); target
// records exist for touched nodes only.
// A rank may be any int, also one that does not exist. Contexts compare it with their size. The
// default context's fast paths compare nothing: they read a table of their own, cw_guarded, with an
// entry for every int, as an unsigned number: a word minus that of the cold record in front of the
// table, so zeros are cold.
// Threads: tables are read by all threads; written at init, at first contact and at finalize, under
// the lock of the context's port.
#ifndef CW_CORE_HOT_H
#define CW_CORE_HOT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/compiler.h"
#include "core/mem/layout.h"
#include "core/progress/wait.h"
#include "transport/transport.h"

/**
 * A communication context. The first line is what operations read; the second is written by
 * operations that leave the node, and apart so that threads which stay on the node do not feel it.
 * put_scalar_x86_64.h knows the offsets.
 */
typedef struct cw_ctx {
    const uintptr_t *peer;      // [size] for puts and gets: `word`, or a table that is cold off the
                                // node or everywhere
    cw_node_hot_t *node;        // the count of sleepers that stores to a peer test; for contexts
                                // without stores see cw_ctx_rearm
    const uintptr_t *amo_peer;  // [size] the same as peer for atomics: all cold where they go
                                // through the NIC or are routed
    const uintptr_t *word;      // [size] how each peer is reached, whatever the two others hide
    struct cw_port *port;       // the way off the node, maybe shared with other contexts
    struct cw_batch *batch;     // operations collected in a session (core/rma/batch.h), or NULL
    int size;                   // of the team; 0: the context is no longer valid
    uint8_t options;            // CW_CTX_…
    bool listed;                // the PEs are no arithmetic sequence
    bool rearms;                // quiet may leave out the fence: see cw_ctx_rearm
    union {
        struct {
            int start, stride;  // the PE of rank r is start + r * stride
        };
        const int *pes;  // or, if it is listed, pes[r]: the team's table
    };

    // non-zero: something is in flight off-node (a peer word, or CW_CTX_EMPTYING). Stored after the
    // operation was handed over; pairs with cw_quiet_cold.
    CW_CACHE_ALIGNED uintptr_t last;
    int32_t room;                // scalar puts that may be injected before the queues must drain
                                 // (CW_INJECT_ROOM)
    int32_t direct;              // other operations until one is looked at (core/rma/bundle.h)
    void *team;                  // the front end's handle
    uintptr_t *own;              // `word` once it is this context's alone
    const uintptr_t *base;       // the table without connections: cold off the node
    struct cw_ctx *next, *prev;  // all contexts but the default one (core/rma/ctx.c)
    uintptr_t thread;            // CW_CTX_PRIVATE: the one that may use it
} cw_ctx_t;
_Static_assert(sizeof(cw_ctx_t) == 128, "two cache lines");

/** Scalar puts that are injected between two waits for the targets: providers queue without bound
 *  what a busy target does not take. */
#define CW_INJECT_ROOM 8192

extern cw_ctx_t cw_ctx_default CW_HIDDEN;
/** Stands for an invalid handle of a context: every operation on it ends the job with a message. */
extern cw_ctx_t cw_ctx_none CW_HIDDEN;
#define cw_hot cw_ctx_default  // where its node and marks are meant

/** What cold words lead to: no connection, and an inject that gets the PE (and the context). Two,
 *  because the default context's scalar put is a function of its own, which passes no context. */
extern cwt_target_t cw_cold_target CW_HIDDEN;
extern cwt_target_t cw_ctx_cold_target CW_HIDDEN;
#define CW_COLD_WORD ((uintptr_t)&cw_cold_target + 1)          // in tables of the default context
#define CW_CTX_COLD_WORD ((uintptr_t)&cw_ctx_cold_target + 1)  // in those of the others

/** The default context's tables, guarded: the word of a cold record, the entries behind it. */
typedef struct cw_guarded {
    uintptr_t peer, amo_peer;
} cw_guarded_t;
extern cw_guarded_t cw_guarded CW_HIDDEN;
#define CW_GUARDED_ENTRIES (sizeof(cwt_target_t) - 1)  // from that word to entry 0

/** cw_wake for a rank of the context's team. A context without stores calls it at its first store
 *  (cw_ctx_rearm). */
void cw_ctx_wake(cw_ctx_t *ctx, int rank) CW_COLD;

static inline int cw_has_sleepers(void)
{
#if defined(__x86_64__)  // an atomic load is one instruction more
    bool any;
    __asm__ volatile("cmpl $0, %1" : "=@ccne"(any) : "m"(cw_hot.node->sleepers));
    return any;
#else
    return atomic_load_explicit(&cw_hot.node->sleepers, memory_order_relaxed) != 0;
#endif
}

/** To be called after a store to the memory of `pe`, a PE of this node, which may sleep on it. */
static inline void cw_local_stored(int pe)
{
    if (CW_UNLIKELY(cw_has_sleepers()))
        cw_wake(pe);
}

/** Notifies `pe`, a PE of this node, of what no store to its own memory shows: a message for it,
 *  the end of a barrier. */
static inline void cw_local_notify(int pe)
{
    if (CW_UNLIKELY(cw_has_sleepers()))
        cw_wake_notify(pe);
}

/** cw_has_sleepers and cw_local_stored for a context. */
static CW_ALWAYS_INLINE int cw_ctx_has_sleepers(const cw_ctx_t *ctx)
{
    return atomic_load_explicit(&ctx->node->sleepers, memory_order_relaxed) != 0;
}

static CW_ALWAYS_INLINE void cw_ctx_stored(cw_ctx_t *ctx, int rank)
{
    if (CW_UNLIKELY(cw_ctx_has_sleepers(ctx))) {
        if (__builtin_constant_p(ctx == &cw_ctx_default) && ctx == &cw_ctx_default)
            cw_wake(rank);
        else
            cw_ctx_wake(ctx, rank);
    }
}

/** Has something been handed to the network since the last quiet? Acquire: a quiet of another
 *  thread that cleared the mark came before what the caller does next. */
static CW_ALWAYS_INLINE bool cw_ctx_is_marked(const cw_ctx_t *ctx)
{
    return __atomic_load_n(&ctx->last, __ATOMIC_ACQUIRE) != 0;
}

/** Marks the context as having something in flight: after the transport took it, so that a quiet of
 *  another thread that clears the mark has seen the operation. */
static CW_ALWAYS_INLINE void cw_ctx_mark_word(cw_ctx_t *ctx, uintptr_t word)
{
#if defined(__x86_64__)
    __atomic_store_n(&ctx->last, word, __ATOMIC_RELEASE);  // stores become visible in order
#else
    // a chain that the quiet's exchange ends
    __atomic_exchange_n(&ctx->last, word, __ATOMIC_ACQ_REL);
#endif
}

/** True: below zero. Not an exact count: concurrent threads may lose some. */
static CW_ALWAYS_INLINE bool cw_count_down(int32_t *left)
{
    bool below;
#if defined(__x86_64__)  // a load and a store of an atomic are two instructions more
    __asm__("decl %0" : "+m"(*left), "=@ccs"(below));
#else
    int32_t now = __atomic_load_n(left, __ATOMIC_RELAXED) - 1;
    __atomic_store_n(left, now, __ATOMIC_RELAXED);
    below = now < 0;
#endif
    return below;
}

/** Is a session open that batches? Without the lock; batch.c tests again under it. */
static CW_ALWAYS_INLINE bool cw_batch_is_on(const cw_ctx_t *ctx)
{
    return CW_UNLIKELY(__atomic_load_n(&ctx->batch, __ATOMIC_RELAXED) != NULL);
}

/** First contact and sessions replace words while other threads read; what a word leads to is
 *  complete before the word appears: the store is a release, and the reader's next load depends on
 *  this one, so relaxed is enough. C has no usable name for that order, and ThreadSanitizer knows
 *  none. */
#if defined(__SANITIZE_THREAD__)
#define CW_DEPENDED_ON __ATOMIC_ACQUIRE
#else
#define CW_DEPENDED_ON __ATOMIC_RELAXED
#endif

/** The default context where the compiler knows it, so that nothing needs to be compared. */
static CW_ALWAYS_INLINE bool cw_ctx_is_plain(const cw_ctx_t *ctx)
{
    return __builtin_constant_p(ctx == &cw_ctx_default) && ctx == &cw_ctx_default;
}

static CW_ALWAYS_INLINE bool cw_ctx_has(const cw_ctx_t *ctx, int rank)
{
    return CW_LIKELY((unsigned)rank < (unsigned)ctx->size);
}

/** What a table says, read while other threads change it. */
static CW_ALWAYS_INLINE uintptr_t cw_entry(const uintptr_t *const *table, int rank)
{
    return __atomic_load_n(&__atomic_load_n(table, CW_DEPENDED_ON)[rank], CW_DEPENDED_ON);
}

/** The word of a guarded table. */
static CW_ALWAYS_INLINE uintptr_t cw_guarded_word(const uintptr_t *guarded, int rank)
{
    uintptr_t word = __atomic_load_n(guarded, CW_DEPENDED_ON);
    const uintptr_t *entry = (const uintptr_t *)(word + CW_GUARDED_ENTRIES) + (unsigned)rank;
#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__)
    __asm__ volatile("add %1, %0" : "+r"(word) : "m"(*entry) : "cc");  // one instruction
#else
    word += __atomic_load_n(entry, CW_DEPENDED_ON);
#endif
    return word;
}

/** The word of this rank, which is any int; cold if there is none. True: its memory is mapped here,
 *  so far away. */
static CW_ALWAYS_INLINE bool cw_find_here(const cw_ctx_t *ctx, const uintptr_t *const *table,
                                          const uintptr_t *guarded, int rank, uintptr_t *word_p)
{
    if (cw_ctx_is_plain(ctx)) {
        *word_p = cw_guarded_word(guarded, rank);
    } else if (cw_ctx_has(ctx, rank)) {
        *word_p = cw_entry(table, rank);
    } else {
        *word_p = CW_CTX_COLD_WORD;
        return false;
    }
    return CW_MOSTLY(!(*word_p & 1));
}

/** For puts and gets. */
static CW_ALWAYS_INLINE bool cw_peer_is_here(const cw_ctx_t *ctx, int rank, uintptr_t *word_p)
{
    return cw_find_here(ctx, &ctx->peer, &cw_guarded.peer, rank, word_p);
}

/** For atomics. */
static CW_ALWAYS_INLINE bool cw_amo_is_here(const cw_ctx_t *ctx, int rank, uintptr_t *word_p)
{
    return cw_find_here(ctx, &ctx->amo_peer, &cw_guarded.amo_peer, rank, word_p);
}

/** The words of this rank, which is any int; cold if there is none. */
static CW_ALWAYS_INLINE uintptr_t cw_peer_word(const cw_ctx_t *ctx, int rank)
{
    return cw_ctx_has(ctx, rank) ? cw_entry(&ctx->peer, rank) : CW_CTX_COLD_WORD;
}

static CW_ALWAYS_INLINE uintptr_t cw_amo_word(const cw_ctx_t *ctx, int rank)
{
    return cw_ctx_has(ctx, rank) ? cw_entry(&ctx->amo_peer, rank) : CW_CTX_COLD_WORD;
}

/** Where an operation goes, from its peer word: true, the memory of the PE is mapped here, and the
 *  word is the distance to it; false, the word leads to a record. */
static inline int cw_word_is_local(uintptr_t word)
{
    return CW_LIKELY(!(word & 1));
}

static inline void *cw_local_address(uintptr_t word, const void *symmetric)
{
    return (void *)((uintptr_t)symmetric + word);
}

/** The record that a word which is not local leads to. */
static inline cwt_target_t *cw_word_target(uintptr_t word)
{
    return (cwt_target_t *)(word - 1);
}

/** The record if it is connected, every transfer may take it, and nothing is batched or observed;
 *  else NULL: the cold path of the operation decides. */
static CW_ALWAYS_INLINE cwt_target_t *cw_warm_target(uintptr_t word)
{
    cwt_target_t *t = cw_word_target(word);
    return CW_LIKELY(t->conn != NULL) ? t : NULL;
}

/** Hands a few bytes (cw_inject_most()) to the provider and marks the record behind that; the
 *  caller marks its context. Not 0: the provider did not take them. */
static CW_ALWAYS_INLINE ssize_t cw_inject(uintptr_t word, void *dest, const void *src,
                                          size_t nbytes)
{
    cwt_target_t *t = cw_word_target(word);
    ssize_t rc = t->inject(t->ep, src, nbytes, t->fabric_addr, (uintptr_t)dest + t->base, t->key);
    __atomic_store_n(&t->last, word, __ATOMIC_RELEASE);
    return rc;
}

#endif
