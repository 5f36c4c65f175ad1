// SPDX-License-Identifier: BSD-3-Clause
//
// The inlined heart: what a put, get or atomic to a PE of the same node costs, and the door to everything else.
//
// One word per PE, cw_hot.peer[pe], says how to reach it:
//   bit 0 clear   the PE's memory is mapped here: my symmetric address + word = its address (own PE: 0)
//   bit 0 set     word - 1 is a cwt_target_t; the cold one (cw_cold_target) stands for "not connected yet",
//                 "not initialised" and "check every call"
// The table is 8 bytes a PE because placement need not be regular; the target records exist only for touched PEs.
// Threads: read by all; written at init, at first contact and at finalize, under the context's lock.
#ifndef CW_CORE_HOT_H
#define CW_CORE_HOT_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "transport/transport.h"

#define CW_LIKELY(x) __builtin_expect(!!(x), 1)
#define CW_UNLIKELY(x) __builtin_expect(!!(x), 0)

typedef struct cw_ctx cw_ctx_t;

/** Node-wide words that every PE of the node reads on its hot path (first cache line of the node object). */
typedef struct cw_node_hot {
    _Atomic uint32_t sleepers;  // PEs of this node asleep in a wait; pairs with cw_wait_sleep
} cw_node_hot_t;

/** What the hot paths of the default context read, together in one cache line. put_scalar.S knows the offsets. */
typedef struct cw_hot {
    const uintptr_t *peer;      // [npes] for puts and gets
    cw_node_hot_t *node;
    volatile uintptr_t last;    // non-zero: the default context has something in flight off-node (a peer word)
    const uintptr_t *amo_peer;  // [npes] for atomics: the same table unless atomics go through the NIC
    int32_t room;               // scalar puts that may be injected before the queues must drain (CW_INJECT_ROOM)
} cw_hot_t;

/** Providers queue what a busy target does not take, without bound: after so many scalar puts one waits for it. */
#define CW_INJECT_ROOM 8192

extern cw_hot_t cw_hot __attribute__((visibility("hidden")));
extern cwt_target_t cw_cold_target __attribute__((visibility("hidden")));

/** A peer word that leads to the cold paths. */
#define CW_COLD_WORD ((uintptr_t)&cw_cold_target + 1)

/** Rings the doorbell of `pe` (of this node) if it sleeps. */
void cw_wake(int pe) __attribute__((cold));

/** To be called after a store to the memory of `pe`, a PE of this node: somebody may wait for it. */
static inline void cw_local_stored(int pe)
{
    if (CW_UNLIKELY(atomic_load_explicit(&cw_hot.node->sleepers, memory_order_relaxed)))
        cw_wake(pe);
}

static inline uintptr_t cw_peer_word(int pe)
{
    return cw_hot.peer[pe];
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
