// SPDX-License-Identifier: BSD-3-Clause
//
// The inlined heart: what a put, get or atomic to a PE of the same node costs, and the door to everything else.
//
// A context is where operations are issued. One word per PE, ctx->peer[rank], says how to reach it:
//   bit 0 clear   the PE's memory is mapped here: my symmetric address + word = its address (own PE: 0)
//   bit 0 set     word - 1 is a cwt_target_t; a cold one stands for "not connected yet", "not initialised", "check
//                 every call", "batched" and "destroyed"
// The table is 8 bytes a PE because placement need not be regular. It is indexed by the rank in the context's team, so
// that team-relative numbers cost nothing; the world's default context has ranks that are PE numbers. Contexts that
// have not left the node share one table (core/ctx.c); target records exist only for touched nodes.
// Threads: tables are read by all; written at init, at first contact and at finalize, under the context's lock.
#ifndef CW_CORE_HOT_H
#define CW_CORE_HOT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "transport/transport.h"

#define CW_LIKELY(x) __builtin_expect(!!(x), 1)
#define CW_UNLIKELY(x) __builtin_expect(!!(x), 0)

/** Node-wide words that every PE of the node reads on its hot path (first cache line of the node object). */
typedef struct cw_node_hot {
    _Atomic uint32_t sleepers;  // PEs of this node asleep in a wait; pairs with cw_wait_sleep
} cw_node_hot_t;

/**
 * A communication context. The first line is what operations read; the second is written by operations that leave the
 * node, and apart so that threads which stay on the node do not feel it. put_scalar_x86_64.h knows the offsets.
 */
typedef struct cw_ctx {
    const uintptr_t *peer;      // [size] for puts and gets: `word`, or a table that is cold off the node or everywhere
    cw_node_hot_t *node;        // whom stores to a peer must wake; see cw_ctx_rearm for contexts without stores
    const uintptr_t *amo_peer;  // [size] the same for atomics: all cold where they go through the NIC
    const uintptr_t *word;      // [size] the truth about every peer
    struct cw_port *port;       // the way off the node, maybe shared with other contexts
    struct cw_batch *batch;     // operations that wait for company (core/batch.h), or NULL
    void *team;                 // the front end's handle
    union {
        struct {
            int start, stride;  // the PE of rank r is start + r * stride
        };
        const int *pes;         // or, if it is listed, pes[r]: the team's table
    };

    // non-zero: something is in flight off-node (a peer word, or CW_CTX_EMPTYING). Stored after the operation was
    // handed over; pairs with cw_quiet_cold.
    volatile uintptr_t last __attribute__((aligned(64)));
    int32_t room;               // scalar puts that may be injected before the queues must drain (CW_INJECT_ROOM)
    int size;                   // of the team; 0: the context is no longer valid
    uintptr_t *own;             // `word` once it is this context's alone
    const uintptr_t *base;      // the table without connections: cold off the node
    struct cw_ctx *next, *prev; // all contexts but the default one (core/ctx.c)
    uintptr_t thread;           // CW_CTX_PRIVATE: whose
    uint8_t options;            // CW_CTX_…
    bool listed;                // the PEs are no arithmetic sequence
    bool rearms;                // quiet may leave out the fence: see cw_ctx_rearm
} cw_ctx_t;
_Static_assert(sizeof(cw_ctx_t) == 128, "two cache lines");

/** Providers queue what a busy target does not take, without bound: after so many scalar puts one waits for it. */
#define CW_INJECT_ROOM 8192

extern cw_ctx_t cw_ctx_default __attribute__((visibility("hidden")));
/** Where there should be a context and is none: every operation on it ends in a message. */
extern cw_ctx_t cw_ctx_none __attribute__((visibility("hidden")));
#define cw_hot cw_ctx_default  // by the name that says what for

/** What cold words lead to: no connection, and an inject that knows the PE (and the context). Two, because the default
 *  context's scalar put is a function of its own, which passes no context. */
extern cwt_target_t cw_cold_target __attribute__((visibility("hidden")));
extern cwt_target_t cw_ctx_cold_target __attribute__((visibility("hidden")));
#define CW_COLD_WORD ((uintptr_t)&cw_cold_target + 1)          // in tables of the default context
#define CW_CTX_COLD_WORD ((uintptr_t)&cw_ctx_cold_target + 1)  // in those of the others

/** Rings the doorbell of `pe` (of this node) if it sleeps. */
void cw_wake(int pe) __attribute__((cold));
/** The same for a rank of the context's team; also where a context without stores learns that it has stored. */
void cw_ctx_wake(cw_ctx_t *ctx, int rank) __attribute__((cold));

static inline int cw_somebody_sleeps(void)
{
    return atomic_load_explicit(&cw_hot.node->sleepers, memory_order_relaxed) != 0;
}

/** To be called after a store to the memory of `pe`, a PE of this node: somebody may wait for it. */
static inline void cw_local_stored(int pe)
{
    if (CW_UNLIKELY(cw_somebody_sleeps()))
        cw_wake(pe);
}

/** Both for a context. */
static inline __attribute__((always_inline)) int cw_ctx_somebody_sleeps(const cw_ctx_t *ctx)
{
    return atomic_load_explicit(&ctx->node->sleepers, memory_order_relaxed) != 0;
}

static inline __attribute__((always_inline)) void cw_ctx_stored(cw_ctx_t *ctx, int rank)
{
    if (CW_UNLIKELY(cw_ctx_somebody_sleeps(ctx))) {
        if (__builtin_constant_p(ctx == &cw_ctx_default) && ctx == &cw_ctx_default)
            cw_wake(rank);
        else
            cw_ctx_wake(ctx, rank);
    }
}

/** Relaxed: first contact and sessions replace words while other threads read; what a word leads to is complete before
 *  the word appears (the store is a release, and the reader's next load depends on this one). */
static inline __attribute__((always_inline)) uintptr_t cw_peer_word(const cw_ctx_t *ctx, int rank)
{
    const uintptr_t *table = __atomic_load_n(&ctx->peer, __ATOMIC_RELAXED);
    return __atomic_load_n(&table[rank], __ATOMIC_RELAXED);
}

static inline __attribute__((always_inline)) uintptr_t cw_amo_word(const cw_ctx_t *ctx, int rank)
{
    const uintptr_t *table = __atomic_load_n(&ctx->amo_peer, __ATOMIC_RELAXED);
    return __atomic_load_n(&table[rank], __ATOMIC_RELAXED);
}

static inline int cw_word_is_local(uintptr_t word)
{
    return CW_LIKELY(!(word & 1));
}

static inline void *cw_local_address(uintptr_t word, const void *symmetric)
{
    return (void *)((uintptr_t)symmetric + word);
}

#endif
