// SPDX-License-Identifier: BSD-3-Clause
//
// How the PEs of a node learn that the network has written into their memory. Three modes, one word
// of the node object:
//
//   events     the server's processor stores what arrives, in a turn of its progress, and compares
//              the words of sleeping PEs behind it. So it is with providers over sockets, and it is
//              assumed of every provider until the contrary is proved.
//   unwatched  a device writes by itself, without an event at the server. No PE slept lately. A PE
//              that sleeps now tests its condition every 0.2 ms.
//   watched    as before, and PEs sleep: the server compares their words by a timer
//              (core/server/rest.c), and they may sleep long.
//
// The proof: a wait for memory of the node ended although its PE was not woken and the server made
// no turn since the PE had tested its condition. A store of this node that rings no doorbell looks
// the same (through shmem_ptr, or by another thread of the PE), and is watched for as well then.
// Threads: any, and any process of the node.
#ifndef CW_CORE_ARRIVALS_H
#define CW_CORE_ARRIVALS_H

#include <stdatomic.h>
#include <stdbool.h>

#include "core/mem/segment.h"

typedef enum cw_arrivals_mode {
    CW_ARRIVALS_EVENTS,
    CW_ARRIVALS_UNWATCHED,
    CW_ARRIVALS_WATCHED
} cw_arrivals_mode_t;

/** "events", "unwatched" or "watched". */
static inline const char *cw_arrivals_name(void)
{
    static const char *const names[] = {"events", "unwatched", "watched"};
    return names[atomic_load_explicit(&cw_segment.control->arrivals.mode, memory_order_relaxed)];
}

enum { CW_ARRIVALS_PROOFS = 3 };  // that it takes to leave the first mode

static inline cw_arrivals_mode_t cw_arrivals_mode(void)
{
    return (cw_arrivals_mode_t)atomic_load_explicit(&cw_segment.control->arrivals.mode,
                                                    memory_order_relaxed);
}

/** Around each turn of the server's progress, under its lock. */
static inline void cw_arrivals_turn_begin(void)
{
    cw_arrivals_t *a = &cw_segment.control->arrivals;
    uint32_t turns = atomic_load_explicit(&a->turns, memory_order_relaxed);
    atomic_store_explicit(&a->turns, turns + 1, memory_order_relaxed);
    // Before what the provider stores in this turn; pairs with the fence in cw_arrivals_turns().
    // No scene: the simulated network's stores are seen at once.
    atomic_thread_fence(memory_order_release);
}

static inline void cw_arrivals_turn_end(void)
{
    cw_arrivals_t *a = &cw_segment.control->arrivals;
    uint32_t turns = atomic_load_explicit(&a->turns, memory_order_relaxed);
    atomic_store_explicit(&a->turns, turns + 1, memory_order_release);
}

/** The count of turns, begun and ended: odd in a turn. Read after a change in memory, it shows the
 *  turn that made the change. */
static inline uint32_t cw_arrivals_turns(void)
{
    // No scene: the simulated network's stores are seen at once.
    atomic_thread_fence(memory_order_acquire);
    return atomic_load_explicit(&cw_segment.control->arrivals.turns, memory_order_acquire);
}

/** Another proof; the last one that it takes changes the mode. */
static inline void cw_arrivals_proved(void)
{
    cw_arrivals_t *a = &cw_segment.control->arrivals;
    if (cw_arrivals_mode() != CW_ARRIVALS_EVENTS ||
        atomic_fetch_add_explicit(&a->proofs, 1, memory_order_relaxed) + 1 < CW_ARRIVALS_PROOFS)
        return;
    uint32_t events = CW_ARRIVALS_EVENTS;
    atomic_compare_exchange_strong(&a->mode, &events, CW_ARRIVALS_UNWATCHED);
}

#endif
