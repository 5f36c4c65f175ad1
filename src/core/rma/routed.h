// SPDX-License-Identifier: BSD-3-Clause
//
// Routed requests, where a topology is on (ADR 52): what the PE does that sends them. A request
// gets a tail and goes to the first hop; it takes units of this PE's window there. Its value, if it
// asks for one, comes into a cell of this PE's slice, and that it was executed into counts of the
// node object, both written by this node's server (core/forward).
//
// While an answer to this node is due from the first hop, for what went to the same final node, a
// request that may is left at this node's server instead, in an outbox: the server takes in the
// answer, and sends in one message what the PEs of the node have left (ADR 68). PE 0 always does
// that, and sends in its own calls what need not wait.
//
// A fetch that is alone, to a neighbour, is answered on the PE's own connection (ADR 85).
//
//   in the control area   how many were left, counts [slot], unanswered [edge], single [edge], then
//                         windows [edge][slot]
//   in each slice         the outbox, cells of values: small ones, then large ones
//
// Routed requests of this PE to one node execute in the order sent. Between them and direct puts
// and gets there is none, but for cw_routed_drain and a quiet of the transport.
//
// Threads: any. Blocking: all that say so; no handlers of messages run meanwhile.
#ifndef CW_CORE_RMA_ROUTED_H
#define CW_CORE_RMA_ROUTED_H

#include "core/mem/segment.h"
#include "core/rma/hot.h"
#include "core/route/outbox.h"
#include "core/route/setting.h"
#include "transport/transport.h"

enum {
    CW_ROUTED_SMALL = 32,  // cells of values of up to CW_ROUTED_SMALL_NBYTES
    CW_ROUTED_LARGE = 4,   // and of up to CW_ROUTED_LARGE_NBYTES
    CW_ROUTED_CELLS = CW_ROUTED_SMALL + CW_ROUTED_LARGE,
    CW_ROUTED_SMALL_NBYTES = 64 - 8,
    CW_ROUTED_LARGE_NBYTES = 4096 - 8,
};

/** Requests of a PE without a value, by parity of its epoch, modulo 2^32. */
typedef struct cw_routed_counts {
    _Atomic uint32_t done[2];  // executed, as this node's server has learned; 8 bytes that are
                               // waited for at once
    _Atomic uint32_t sent[2];
} CW_CACHE_ALIGNED cw_routed_counts_t;
_Static_assert(sizeof(cw_routed_counts_t) == 64, "one cache line, shared between processes");

/** Units of a PE's window at a neighbour, modulo 2^32. */
typedef struct cw_routed_window {
    _Atomic uint32_t used;   // by the PE
    _Atomic uint32_t freed;  // as this node's server has learned, or the PE
} cw_routed_window_t;

/** On the wire: the reply of a neighbour's server to a fetch over the PE's own connection. */
typedef struct cw_routed_now {
    uint32_t nbytes;  // of the value; CW_ROUTED_LATER: it comes by this PE's node, as others do
    uint32_t freed;   // units of this PE's window given back since the start
    char value[CW_ROUTED_SMALL_NBYTES];
} cw_routed_now_t;
#define CW_ROUTED_LATER UINT32_MAX

/** A value that is awaited, or has come. */
typedef struct cw_routed_cell {
    _Atomic uint32_t state;  // generation << 2 | CW_ROUTED_...
    uint32_t nbytes;
    char value[];
} cw_routed_cell_t;
enum { CW_ROUTED_FREE, CW_ROUTED_AWAITED, CW_ROUTED_ARRIVED };

extern cw_section_t cw_routed_section;        // counts and windows
extern cw_section_t cw_routed_cells_section;  // in each slice

/** Of requests that were left in outboxes since the start. */
_Atomic uint32_t *cw_routed_left(void);
/** By edge: cw_forward_config_t. */
_Atomic uint64_t *cw_routed_unanswered(void);
cw_outbox_t *cw_routed_outbox(uint32_t slot);
/** The neighbour has given back so many since the start. False: more than were used. */
bool cw_routed_was_freed(cw_routed_window_t *w, uint32_t freed);
cw_routed_counts_t *cw_routed_counts(uint32_t slot);
cw_routed_window_t *cw_routed_window(uint32_t edge, uint32_t slot);
/** *room_p: bytes of its value. number < CW_ROUTED_CELLS. */
cw_routed_cell_t *cw_routed_cell(uint32_t slot, uint32_t number, size_t *room_p);

extern bool cw_routed_on;
/** Are requests routed? */
static inline bool cw_routed_is_on(void)
{
    return CW_UNLIKELY(cw_routed_on);
}

/** At init: they are if there is a topology. CW_ENOMEM: reported. */
int cw_routed_open(void);
/** From here on requests go straight, since nodes may end that pass others' on. Nothing is under
 *  way. */
void cw_routed_stop(void);
void cw_routed_close(void);

/** Connects to the first hop on the way to another node, if need be. No lock of a port held.
 *  [waits] */
void cw_routed_connect(int node);
/** cw_reach, with a record in which nothing but its offset counts. [waits] */
const cwt_target_t *cw_routed_reach(cw_ctx_t *ctx, const char *call, int rank, uintptr_t *delta_p);

/** Sends a request to another node. reply: NULL, or as in transport.h, with `capacity` set in any
 *  case; cw_routed_await waits for it. CW_E…: reported. [waits for units of the first hop] */
int cw_routed_send(int node, cwt_header_t *msg, size_t nbytes, cwt_reply_t *reply);
/** The same, and waits for the reply, of few bytes: one that is alone, to a neighbour, comes over
 *  the connection of the request. [waits] */
int cw_routed_fetch(int node, cwt_header_t *msg, size_t nbytes, cwt_reply_t *reply);
/** Waits for a reply. [waits] */
void cw_routed_await(cwt_reply_t *reply);

/** Waits until all that this PE has sent before is executed, and its values have come. [waits] */
void cw_routed_drain(void);
/** The same without waiting. *drain_p: 0 at first, then what the last call left there. True: it is
 *  over, and *drain_p is 0 again. */
bool cw_routed_drain_try(uint64_t *drain_p);

#endif
