// SPDX-License-Identifier: BSD-3-Clause
//
// Outboxes: requests that a PE leaves for its node's server to send (ADR 68). A ring of records in
// the PE's slice, which the server takes, and whose memory it gives back, in order.
//
//   record   0 state u32 | 4 bytes of the request u32 (0: the rest of the ring is skipped)
//            8 what the state machine needs | 32 the request, padded to 8
//
// Threads: one that puts (the PE's, under its lock), one of another process that takes (the
// server's, under its lock). Nothing waits.
#ifndef CW_CORE_ROUTE_OUTBOX_H
#define CW_CORE_ROUTE_OUTBOX_H

#include "core/route/forward.h"

enum { CW_OUTBOX_NBYTES = 16384 };  // of the ring: over two of the largest requests

typedef struct cw_outbox_record {
    _Atomic uint32_t state;  // CW_OUTBOX_...
    uint32_t nbytes;
    cw_forward_own_t own;  // the server's
    char request[];
} cw_outbox_record_t;
enum { CW_OUTBOX_LEFT, CW_OUTBOX_TAKEN, CW_OUTBOX_BACK };

typedef struct cw_outbox {  // 0 at first; bytes since the start, modulo 2^32
    _Alignas(64) _Atomic uint32_t put;    // by the PE
    _Alignas(64) _Atomic uint32_t freed;  // by the server
    uint32_t taken;                       // the server's
    _Alignas(64) char ring[CW_OUTBOX_NBYTES];
} cw_outbox_t;

_Static_assert(sizeof(cw_outbox_record_t) == 32 && sizeof(cw_outbox_t) == 128 + CW_OUTBOX_NBYTES,
               "shared between processes");

/** Leaves a request of two pieces. NULL: no room now. */
cw_outbox_record_t *cw_outbox_put(cw_outbox_t *box, const void *head, size_t head_nbytes,
                                  const void *rest, size_t rest_nbytes);
/** False: the server has it. */
bool cw_outbox_take_back(cw_outbox_record_t *record);

/** The next request, of that slot, for the state machine; NULL: none. */
cw_forward_own_t *cw_outbox_take(cw_outbox_t *box, uint32_t slot);
/** Frees requests that have left; returns whether any had. */
bool cw_outbox_reclaim(cw_outbox_t *box);
/** Does it hold taken requests? */
static inline bool cw_outbox_holds(const cw_outbox_t *box)
{
    return box->taken != atomic_load_explicit(&box->freed, memory_order_relaxed);
}

#endif
