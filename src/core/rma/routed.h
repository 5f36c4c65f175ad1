// SPDX-License-Identifier: BSD-3-Clause
//
// Routed requests, where a topology is on (ADR 52): the PE's side. A request gets a tail and goes
// to the first hop, for units of this PE's window there. This node's server (core/forward) writes
// its value into a cell of this PE's slice, or counts it as executed.
//
// While an answer to this node is due from there, for a request to the same final node, a request
// may be left in an outbox for this node's server (ADR 68); slot 0's PE leaves all.
//
// A single fetch to a neighbour is answered on the PE's own connection (ADR 85).
//
//   in the control area   number left, counts [slot], unanswered [edge], single [edge], windows
//                         [edge][slot]
//   in each slice         the outbox, cells of values: small ones, then large ones
//
// Requests of this PE to one node execute in the order sent. Order against direct puts and gets
// takes cw_routed_drain and a quiet of the transport.
//
// Threads: any. Blocking: [waits]; no handlers of messages run meanwhile.
#ifndef CW_CORE_RMA_ROUTED_H
#define CW_CORE_RMA_ROUTED_H

#include "core/mem/segment.h"
#include "core/port/hot.h"
#include "core/route/outbox.h"
#include "core/route/setting.h"
#include "transport/transport.h"

enum {
    CW_ROUTED_SMALL = 32,  // cells of up to CW_ROUTED_SMALL_NBYTES
    CW_ROUTED_LARGE = 4,   // of up to CW_ROUTED_LARGE_NBYTES
    CW_ROUTED_CELLS = CW_ROUTED_SMALL + CW_ROUTED_LARGE,
    CW_ROUTED_SMALL_NBYTES = 64 - 8,
    CW_ROUTED_LARGE_NBYTES = 4096 - 8,
};

/** A PE's requests without a value, by parity of its epoch, modulo 2^32. */
typedef struct cw_routed_counts {
    _Atomic uint32_t done[2];  // executed, as the server has learned; both are waited for at once
    _Atomic uint32_t sent[2];
} CW_CACHE_ALIGNED cw_routed_counts_t;
_Static_assert(sizeof(cw_routed_counts_t) == 64, "one cache line, shared between processes");

/** Units of a PE's window, modulo 2^32. */
typedef struct cw_routed_window {
    _Atomic uint32_t used;   // by the PE
    _Atomic uint32_t freed;  // as this node's server, or the PE, has learned
} cw_routed_window_t;

/** Wire: the reply to a fetch over the PE's own connection. */
typedef struct cw_routed_now {
    uint32_t nbytes;  // of the value; CW_ROUTED_LATER: it comes by this PE's node
    uint32_t freed;   // units of this PE's window given back since the start
    char value[CW_ROUTED_SMALL_NBYTES];
} cw_routed_now_t;
#define CW_ROUTED_LATER UINT32_MAX

typedef struct cw_routed_cell {
    _Atomic uint32_t state;  // generation << 2 | CW_ROUTED_...
    uint32_t nbytes;
    char value[];
} cw_routed_cell_t;
enum { CW_ROUTED_FREE, CW_ROUTED_AWAITED, CW_ROUTED_ARRIVED };

extern cw_section_t cw_routed_section;
extern cw_section_t cw_routed_cells_section;  // in each slice

/** Requests left in outboxes since the start. */
_Atomic uint32_t *cw_routed_left(void);
/** [degree]: cw_forward_config_t. */
_Atomic uint64_t *cw_routed_unanswered(void);
cw_outbox_t *cw_routed_outbox(uint32_t slot);
/** Takes what the neighbour has given back since the start. False: more than was used. */
bool cw_routed_was_freed(cw_routed_window_t *w, uint32_t freed);
cw_routed_counts_t *cw_routed_counts(uint32_t slot);
cw_routed_window_t *cw_routed_window(uint32_t edge, uint32_t slot);
/** *room_p: bytes for a value. number < CW_ROUTED_CELLS. */
cw_routed_cell_t *cw_routed_cell(uint32_t slot, uint32_t number, size_t *room_p);

extern bool cw_routed_on;
static inline bool cw_routed_is_on(void)
{
    return CW_UNLIKELY(cw_routed_on);
}

/** At init; on if there is a topology. CW_ENOMEM: reported. */
int cw_routed_open(void);
/** Requests go straight from here on, since nodes that pass others' on may end. Nothing is under
 *  way. */
void cw_routed_stop(void);
void cw_routed_close(void);

/** Connects to the first hop to a node. No lock of a port held. [waits] */
void cw_routed_connect(int node);
/** cw_reach, with a record of which only the offset counts. [waits] */
const cwt_target_t *cw_routed_reach(cw_ctx_t *ctx, const char *call, int rank, uintptr_t *delta_p);

/** reply: NULL, or as in transport.h with `capacity` set, for cw_routed_await. CW_E…: reported.
 *  [waits for units of the first hop] */
int cw_routed_send(int node, cwt_header_t *msg, size_t nbytes, cwt_reply_t *reply);
/** Also waits for the reply, of few bytes: that of a single one to a neighbour comes over the
 *  connection. [waits] */
int cw_routed_fetch(int node, cwt_header_t *msg, size_t nbytes, cwt_reply_t *reply);
/** [waits] */
void cw_routed_await(cwt_reply_t *reply);

/** Waits until all that this PE sent is executed, and its values have come. [waits] */
void cw_routed_drain(void);
/** cw_routed_drain without waiting. *drain_p: 0 at first, then as the last call left it. True: it
 *  is over, and *drain_p is 0. */
bool cw_routed_drain_try(uint64_t *drain_p);

#endif
