// SPDX-License-Identifier: BSD-3-Clause
//
// How PEs of a node learn that the network has written into their memory; one mode for the node.
//
//   events     the server stores what arrives, in a turn, and compares sleepers' words; at first
//   unwatched  a device writes without an event, no PE slept lately; sleepers test every 0.2 ms
//   watched    the same, and PEs sleep: the server compares by a timer (core/server/rest.c)
//
// The proof against events: judge() in wait.c. Threads: any, of any process of the node.
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

static inline const char *cw_arrivals_name(void)
{
    static const char *const names[] = {"events", "unwatched", "watched"};
    return names[atomic_load_explicit(&cw_segment.control->arrivals.mode, memory_order_relaxed)];
}

enum { CW_ARRIVALS_PROOFS = 3 };  // that end the mode of events

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
    // Before what the provider stores in this turn; pairs with cw_arrivals_turns(). No scene: the
    // simulated network's stores are seen at once.
    atomic_thread_fence(memory_order_release);
}

static inline void cw_arrivals_turn_end(void)
{
    cw_arrivals_t *a = &cw_segment.control->arrivals;
    uint32_t turns = atomic_load_explicit(&a->turns, memory_order_relaxed);
    atomic_store_explicit(&a->turns, turns + 1, memory_order_release);
}

/** Odd in a turn. Read after a change in memory, it shows the turn that made it. */
static inline uint32_t cw_arrivals_turns(void)
{
    // No scene: the simulated network's stores are seen at once.
    atomic_thread_fence(memory_order_acquire);
    return atomic_load_explicit(&cw_segment.control->arrivals.turns, memory_order_acquire);
}

/** The last of CW_ARRIVALS_PROOFS changes the mode. */
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
