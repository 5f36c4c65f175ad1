// SPDX-License-Identifier: BSD-3-Clause
//
// The PEs of a node come to its memory one by one, and shmem_init does not wait for the last of
// them: a PE counts itself when its slice is ready, and waits for the others when it first reaches
// into the slice of one of them. Until then the peer words of the node's other PEs are cold
// (core/rma/hot.h), so that the paths which are counted in instructions know nothing of it; whoever
// finds a cold word, or needs the memory of a peer otherwise, asks here.
//
// What no PE initialises (doorbells, collectives' counters, inboxes, what front ends set aside) is
// zero from the start and needs no wait: a barrier is entered, a message sent, before all have
// come. Threads: any. Blocking: cw_gather waits, in a sleep.
#ifndef CW_CORE_GATHER_H
#define CW_CORE_GATHER_H

#include "core/world/world.h"

/** Waits until all PEs of this node have come, so that the peer words are filled in: for whoever
 *  copies them. Else that comes by itself (core/mem/gather.h). [waits] */
void cw_gather_all(void) __attribute__((cold));
/** This PE's slice is ready: others may access it. When all PEs of the node have arrived, `gathered`
 *  is called, by the thread that notices it first and maybe by a second one at the same time. */
void cw_gather_arrive(void (*gathered)(void));
/** What cw_gather_all does, without waiting. False: somebody has not come; fatal when
 *  that lasts longer than CAUSEWAY_TIMEOUT. For whoever sleeps, maybe for one that never came. */
bool cw_gather_try(void) __attribute__((cold));

/** The same for whoever does not wait for them: no time-out. */
bool cw_gather_look(void) __attribute__((cold));

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
