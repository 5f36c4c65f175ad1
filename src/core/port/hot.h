// SPDX-License-Identifier: BSD-3-Clause
//
// The hot paths' data: contexts and peer words (docs/design/peer-words.md). Operations within the
// node are inlined from here; all others leave through a record of the connection.
//
// ctx->peer[rank] says how a context reaches a PE:
//   bit 0 clear   its memory is mapped here: my symmetric address + word = its address
//   bit 0 set     word - 1 is a cwt_target_t, connected or cold (core/port/cold.c)
//
// The index is the rank in the context's team, any int. Contexts compare it with their size; the
// default one's fast paths do not: cw_guarded has an entry for every int, as an unsigned number: a
// word minus that of the cold record in front of the table, so zeros are cold.
//
// Threads: all read tables; written at init, first contact and finalize, under the port's lock.
#ifndef CW_CORE_PORT_HOT_H
#define CW_CORE_PORT_HOT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/compiler.h"
#include "core/mem/layout.h"
#include "core/progress/wait.h"
#include "transport/transport.h"

enum {
    CW_CTX_SERIALIZED = 1,  // never used by two threads at a time
    CW_CTX_PRIVATE = 2,     // only the creating thread uses it: no locks, its own port
    CW_CTX_NOSTORE = 4      // quiet and fence need not order the program's stores
};

/** Operations read the first line; those that leave the node write the second, which does not
 *  disturb threads that stay on it. put_scalar_x86_64.h knows the offsets. */
typedef struct cw_ctx {
    const uintptr_t *peer;      // [size] for puts and gets: `word`, or a cold table
    cw_node_hot_t *node;        // its count of sleepers: stores to a peer test it (cw_ctx_rearm)
    const uintptr_t *amo_peer;  // [size] likewise, for atomics (cw_words_choose)
    const uintptr_t *word;      // [size] how each peer is reached
    struct cw_port *port;       // may be shared
    struct cw_batch *batch;     // of a session (core/rma/batch.h), or NULL
    int size;                   // of the team; 0: no longer valid
    uint8_t options;            // CW_CTX_…
    bool listed;                // the PEs are no arithmetic sequence
    bool rearms;                // quiet may leave out the fence: cw_ctx_rearm
    union {
        struct {
            int start, stride;  // rank r: start + r * stride,
        };
        const int *pes;  // or, if listed, pes[r]: the team's table
    };

    // not 0: in flight off-node (a peer word, or CW_CTX_EMPTYING). Stored after the operation was
    // handed over; pairs with cw_quiet_cold.
    CW_CACHE_ALIGNED uintptr_t last;
    int32_t room;                // scalar puts until the queues must drain (CW_INJECT_ROOM)
    int32_t direct;              // operations until one is looked at (core/path/bundle.h)
    void *team;                  // the front end's handle
    uintptr_t *own;              // `word`, if it is this context's alone; else NULL
    const uintptr_t *base;       // the table without connections
    struct cw_ctx *next, *prev;  // all but the default context (core/rma/context.c)
    uintptr_t thread;            // CW_CTX_PRIVATE: that may use it
} cw_ctx_t;
_Static_assert(sizeof(cw_ctx_t) == 128, "two cache lines");

/** Scalar puts between two waits for targets: providers queue without bound. */
#define CW_INJECT_ROOM 8192

extern cw_ctx_t cw_ctx_default CW_HIDDEN;
/** For invalid handles: every operation on it ends the job. */
extern cw_ctx_t cw_ctx_none CW_HIDDEN;
#define cw_hot cw_ctx_default

/** Of cold words: no connection, and an inject that gets the PE and, but for the default context's,
 *  the context. */
extern cwt_target_t cw_cold_target CW_HIDDEN;
extern cwt_target_t cw_ctx_cold_target CW_HIDDEN;
#define CW_COLD_WORD ((uintptr_t)&cw_cold_target + 1)
#define CW_CTX_COLD_WORD ((uintptr_t)&cw_ctx_cold_target + 1)  // of other contexts

/** The default context's tables: the word of a cold record, then entries. */
typedef struct cw_guarded {
    uintptr_t peer, amo_peer;
} cw_guarded_t;
extern cw_guarded_t cw_guarded CW_HIDDEN;
#define CW_GUARDED_ENTRIES (sizeof(cwt_target_t) - 1)  // from the word to entry 0

/** cw_wake for a rank of the team; also at the first store of a NOSTORE context (cw_ctx_rearm). */
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

/** After a store to the memory of `pe`, of this node, which may sleep on it. */
static inline void cw_local_stored(int pe)
{
    if (CW_UNLIKELY(cw_has_sleepers()))
        cw_wake(pe);
}

/** Notifies `pe`, of this node, of what no store to its memory shows. */
static inline void cw_local_notify(int pe)
{
    if (CW_UNLIKELY(cw_has_sleepers()))
        cw_wake_notify(pe);
}

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

/** Acquire: another thread's quiet that cleared the mark comes before what follows. */
static CW_ALWAYS_INLINE bool cw_ctx_is_marked(const cw_ctx_t *ctx)
{
    return __atomic_load_n(&ctx->last, __ATOMIC_ACQUIRE) != 0;
}

/** After the transport took an operation, so that a quiet that clears the mark has seen it. */
static CW_ALWAYS_INLINE void cw_ctx_mark_word(cw_ctx_t *ctx, uintptr_t word)
{
#if defined(__x86_64__)
    __atomic_store_n(&ctx->last, word, __ATOMIC_RELEASE);  // stores become visible in order
#else
    // a chain that the quiet's exchange ends
    __atomic_exchange_n(&ctx->last, word, __ATOMIC_ACQ_REL);
#endif
}

/** True: below zero. Inexact: concurrent threads may lose some. */
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

/** Is a session open? Without the lock; batch.c tests again under it. */
static CW_ALWAYS_INLINE bool cw_batch_is_on(const cw_ctx_t *ctx)
{
    return CW_UNLIKELY(__atomic_load_n(&ctx->batch, __ATOMIC_RELAXED) != NULL);
}

/** Words are replaced while other threads read. What a word leads to is complete before the word
 *  appears: the store is a release, and the reader's next load depends on it, so relaxed is enough.
 *  ThreadSanitizer knows no such order. */
#if defined(__SANITIZE_THREAD__)
#define CW_DEPENDED_ON __ATOMIC_ACQUIRE
#else
#define CW_DEPENDED_ON __ATOMIC_RELAXED
#endif

/** The compiler knows it to be the default one. */
static CW_ALWAYS_INLINE bool cw_ctx_is_plain(const cw_ctx_t *ctx)
{
    return __builtin_constant_p(ctx == &cw_ctx_default) && ctx == &cw_ctx_default;
}

static CW_ALWAYS_INLINE bool cw_ctx_has(const cw_ctx_t *ctx, int rank)
{
    return CW_LIKELY((unsigned)rank < (unsigned)ctx->size);
}

/** Read while other threads write. */
static CW_ALWAYS_INLINE uintptr_t cw_entry(const uintptr_t *const *table, int rank)
{
    return __atomic_load_n(&__atomic_load_n(table, CW_DEPENDED_ON)[rank], CW_DEPENDED_ON);
}

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

/** The word of any int, cold if there is none. True: mapped here, so far away. */
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

static CW_ALWAYS_INLINE bool cw_peer_is_here(const cw_ctx_t *ctx, int rank, uintptr_t *word_p)
{
    return cw_find_here(ctx, &ctx->peer, &cw_guarded.peer, rank, word_p);
}

static CW_ALWAYS_INLINE bool cw_amo_is_here(const cw_ctx_t *ctx, int rank, uintptr_t *word_p)
{
    return cw_find_here(ctx, &ctx->amo_peer, &cw_guarded.amo_peer, rank, word_p);
}

static CW_ALWAYS_INLINE uintptr_t cw_peer_word(const cw_ctx_t *ctx, int rank)
{
    return cw_ctx_has(ctx, rank) ? cw_entry(&ctx->peer, rank) : CW_CTX_COLD_WORD;
}

static CW_ALWAYS_INLINE uintptr_t cw_amo_word(const cw_ctx_t *ctx, int rank)
{
    return cw_ctx_has(ctx, rank) ? cw_entry(&ctx->amo_peer, rank) : CW_CTX_COLD_WORD;
}

/** Mapped here; else it leads to a record. */
static inline int cw_word_is_local(uintptr_t word)
{
    return CW_LIKELY(!(word & 1));
}

static inline void *cw_local_address(uintptr_t word, const void *symmetric)
{
    return (void *)((uintptr_t)symmetric + word);
}

static inline cwt_target_t *cw_word_target(uintptr_t word)
{
    return (cwt_target_t *)(word - 1);
}

/** The record if it is connected and nothing is batched or observed; NULL: the cold path
 *  decides. */
static CW_ALWAYS_INLINE cwt_target_t *cw_warm_target(uintptr_t word)
{
    cwt_target_t *t = cw_word_target(word);
    return CW_LIKELY(t->conn != NULL) ? t : NULL;
}

/** Hands up to cw_inject_most() bytes to the provider, then marks the record; the caller marks its
 *  context. Not 0: the provider did not take them. */
static CW_ALWAYS_INLINE ssize_t cw_inject(uintptr_t word, void *dest, const void *src,
                                          size_t nbytes)
{
    cwt_target_t *t = cw_word_target(word);
    ssize_t rc = t->inject(t->ep, src, nbytes, t->fabric_addr, (uintptr_t)dest + t->base, t->key);
    __atomic_store_n(&t->last, word, __ATOMIC_RELEASE);
    return rc;
}

#endif
