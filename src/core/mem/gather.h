// SPDX-License-Identifier: BSD-3-Clause
//
// The PEs of a node map its memory one by one, and joining the job does not wait for the last of
// them: a PE counts itself when its slice is ready, and waits for the others when it first accesses
// the slice of one of them. Until then the peer words of the node's other PEs are cold
// (core/rma/hot.h), so that the hot paths need no test; the path of a cold word, and any other code
// that needs the memory of a peer, calls cw_gather.
//
// What no PE initialises (doorbells, collectives' counters, inboxes, memory of front ends) is zero
// from the start and needs no wait: a barrier is entered, a message sent, before all PEs have
// arrived. Threads: any. Blocking: cw_gather waits, in a sleep.
#ifndef CW_CORE_GATHER_H
#define CW_CORE_GATHER_H

#include "base/compiler.h"
#include "core/world/world.h"

/** Waits until all PEs of this node have arrived, so that the peer words are filled in: for a
 *  caller that copies them. Other callers need not: cw_gather does it at first use. [waits] */
void cw_gather_all(void) CW_COLD;
/** This PE's slice is ready: others may access it. When all PEs of the node have arrived,
 *  `gathered` is called, by the thread that notices it first and perhaps by a second one at the
 *  same time. */
void cw_gather_arrive(void (*gathered)(void));
/** The same without waiting. False: a PE has not arrived; fatal when that lasts longer than
 *  CAUSEWAY_TIMEOUT. For a caller that sleeps, perhaps for a PE that will never arrive. */
bool cw_gather_try(void) CW_COLD;

/** The same for a caller that does not wait for them: no time-out. */
bool cw_gather_poll(void) CW_COLD;

static inline bool cw_gathered(void)
{
    return CW_LIKELY(
        // pairs with the end of cw_gather_try
        atomic_load_explicit(&cw_world.gathered, memory_order_acquire));
}

/** Before the memory of a PE of this node is used. */
static inline void cw_gather(void)
{
    if (CW_UNLIKELY(!cw_gathered()))
        cw_gather_all();
}

#endif
