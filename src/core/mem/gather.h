// SPDX-License-Identifier: BSD-3-Clause
//
// PEs map a node's memory one by one: each counts itself when its slice is ready, and waits for the
// others at its first access to their slices. Until then neighbours' peer words are cold
// (core/port/hot.h), so hot paths need no test; other code calls cw_gather first. Memory that no PE
// initialises (doorbells, inboxes, ...) is zero and needs no wait. Threads: any.
#ifndef CW_CORE_GATHER_H
#define CW_CORE_GATHER_H

#include "base/compiler.h"
#include "core/world/world.h"

/** Waits until all PEs of the node have arrived, for callers that copy peer words. [waits] */
void cw_gather_all(void) CW_COLD;
/** This PE's slice is ready. The thread that notices that all are, and perhaps a second one, calls
 *  `gathered`. */
void cw_gather_arrive(void (*gathered)(void));
/** Without waiting. False: a PE is missing; fatal after CAUSEWAY_TIMEOUT. For callers that sleep,
 *  perhaps for that PE. */
bool cw_gather_try(void) CW_COLD;

/** As above without the time-out. */
bool cw_gather_poll(void) CW_COLD;

static inline bool cw_gathered(void)
{
    return CW_LIKELY(
        // pairs with the end of cw_gather_poll
        atomic_load_explicit(&cw_world.gathered, memory_order_acquire));
}

/** Before the use of memory of another PE of this node. [waits] */
static inline void cw_gather(void)
{
    if (CW_UNLIKELY(!cw_gathered()))
        cw_gather_all();
}

#endif
