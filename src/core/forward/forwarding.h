// SPDX-License-Identifier: BSD-3-Clause
//
// Forwarding by the node server, where a topology is on (ADR 52): it drives the state machine of
// core/route/forward.h with requests that come over the network and with those in outboxes, sends
// what leaves over a client of its own, and writes what comes of the requests of this node's PEs
// into the node object (core/rma/routed.h).
//
// Connections of that client are opened by the server's thread between rounds, since connecting
// waits; until then requests wait as they do for room. Nothing else here waits.
//
// Threads: what runs in turns of the server, under its lock; cw_forwarding_open and the progress
// hook forward_left are the PE's.
#ifndef CW_CORE_FORWARDING_H
#define CW_CORE_FORWARDING_H

#include "core/route/forward.h"

/** Before cw_server_start, in the PE that hosts the node server. CW_ENOMEM: reported. */
int cw_forwarding_open(void);

/** For statistics, of the node whose server runs here; zeros without a topology. */
typedef struct cw_forwarding_stats {
    uint64_t edge_nbytes;  // of all windows at this node
    uint64_t arrived;      // messages with requests; a packed one counts once
    uint64_t most_arrived; // of them in one turn of the server
    uint64_t left;         // requests that PEs but the server's have left in outboxes
    cw_forward_counts_t counts;
} cw_forwarding_stats_t;
void cw_forwarding_stats(cw_forwarding_stats_t *stats_p);

// ---------------------------------------------------------------- answers for PEs of this node
// (answered.c), as in cw_forward_ops_t; what fits no request of that PE is dropped and reported
// once.
void cw_answered_freed(void *ctx, uint32_t edge, uint32_t slot, uint32_t units);
void cw_answered_done(void *ctx, uint32_t slot, unsigned epoch, uint32_t count);
void cw_answered_value(void *ctx, uint32_t slot, const cw_answer_value_t *to, const void *value,
                       size_t nbytes);
/** A message between servers that breaks the protocol; `reason`: what is wrong with it. */
void cw_forwarding_refused(const char *what, int pe, const char *reason);

#endif
