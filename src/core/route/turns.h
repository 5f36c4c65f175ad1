// SPDX-License-Identifier: BSD-3-Clause
//
// Turns at a node's ways out (ADR 52): out-edges, and execution here. A way has a FIFO for each
// input: windows of each in-edge by slot, and this node's own PE. Between in-edges deficit round
// robin in bytes, weighted by nodes behind them; within one, slot 0, which carries what the
// neighbour forwards, has the turns of the PEs behind it.
//
// FIFOs hold numbers of requests, linked by the caller (cw_turns_links_t). A way's memory is
// allocated at first use. Threads: one at a time. Nothing waits.
#ifndef CW_CORE_ROUTE_TURNS_H
#define CW_CORE_ROUTE_TURNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct cw_turns_fifo {
    uint32_t first, last;  // requests, 0: none
    uint16_t behind;       // slot + 1 that comes next
} cw_turns_fifo_t;

typedef struct cw_turns_input {
    int64_t deficit;       // bytes that it may send in this turn
    uint32_t behind;       // input + 1 that comes next
    uint32_t repeated;     // turns of slot 0 in a row
    uint16_t first, last;  // slot + 1
} cw_turns_input_t;

typedef struct cw_turns {  // of a way out; all 0 at first
    cw_turns_input_t *input;
    cw_turns_fifo_t *fifo;  // [input][slot]
    uint32_t first, last;   // input + 1
} cw_turns_t;

typedef struct cw_turns_links {
    uint32_t ninputs, nslots;
    const uint32_t *weight;  // [ninputs] nodes behind each
    /** The request behind this one. */
    uint32_t (*next)(void *ctx, uint32_t input, uint32_t slot, uint32_t request);
    void (*set_next)(void *ctx, uint32_t input, uint32_t slot, uint32_t request, uint32_t next);
    size_t (*nbytes)(void *ctx, uint32_t input, uint32_t slot, uint32_t request);
    void *ctx;
} cw_turns_links_t;

/** False: no memory. */
bool cw_turns_add(cw_turns_t *t, const cw_turns_links_t *links, uint32_t input, uint32_t slot,
                  uint32_t request);

static inline bool cw_turns_is_empty(const cw_turns_t *t)
{
    return !t->first;
}

/** The request whose turn it is, until it is removed; 0: none. */
uint32_t cw_turns_peek(cw_turns_t *t, const cw_turns_links_t *links, uint32_t *input_p,
                       uint32_t *slot_p);
/** Removes what peek returned, before its memory is given back. */
void cw_turns_remove(cw_turns_t *t, const cw_turns_links_t *links);
void cw_turns_destroy(cw_turns_t *t);

#endif
