// SPDX-License-Identifier: BSD-3-Clause
//
// The state machine of forwarding (ADR 52, docs/design/forwarding.md): one a node, driven by its
// server. It has no I/O, so that the simulator (study/sim) runs it, too.
//
// Threads: one at a time. Nothing here waits or polls.
#ifndef CW_CORE_ROUTE_FORWARD_H
#define CW_CORE_ROUTE_FORWARD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/route/answers.h"
#include "core/route/topology.h"

enum {
    CW_FORWARD_NBYTES = 4096 + 32,               // of the largest request, with its tail
    CW_FORWARD_PACKED = CW_FORWARD_NBYTES - 24,  // of a packed message's parts, after its header
    CW_FORWARD_ALONE = 1024,                     // larger ones are not packed
    CW_FORWARD_NO_VALUE = 0xffff,                // reply_slot without a value
    CW_FORWARD_VALUES_MAX = 1 << 20  // bytes of waiting values that stop requests for more
};

typedef struct cw_forward_tail {  // ends a request
    uint32_t origin, final_node;
    uint16_t reply_slot, generation;
    uint8_t class, hop, epoch, flags;
} cw_forward_tail_t;

typedef struct cw_forward_part {  // precedes each request of a packed message; padded to 8
    uint32_t nbytes, unused;
} cw_forward_part_t;

_Static_assert(sizeof(cw_forward_tail_t) == 16 && sizeof(cw_forward_part_t) == 8, "wire format");

/** What combining needs of a fetch-and-add. */
typedef struct cw_forward_add {
    uint64_t place, operand;  // place: the word at the final node
    uint32_t nbytes;          // of the word: 4 or 8; 0: no fetch-and-add
    uint32_t at;              // of the operand's 8 bytes in the request
} cw_forward_add_t;

typedef struct cw_forward_ops {
    /** Sends a request or packed message to a neighbour, as slot 0. False: not now. */
    bool (*request)(void *ctx, uint32_t node, const void *message, size_t nbytes, bool is_packed);
    bool (*answers)(void *ctx, uint32_t node, const void *records, size_t nbytes);
    /** Executes a request at its final node. A value that the tail asks for goes into `value`, up
     *  to CW_ANSWER_VALUE_MAX bytes. Returns its bytes. */
    size_t (*execute)(void *ctx, const cw_forward_tail_t *tail, const void *request, size_t nbytes,
                      void *value);
    /** False: there is no such PE. */
    bool (*where)(void *ctx, uint32_t pe, uint32_t *node_p, uint32_t *slot_p);
    /** Of a request, without its tail, that wants a value. Needed if config.combines. */
    cw_forward_add_t (*fetch_add)(void *ctx, const void *request, size_t nbytes);
    // Answers for PEs of this node. Units of slot 0, the server's own, stay here.
    void (*freed)(void *ctx, uint32_t edge, uint32_t slot, uint32_t units);
    void (*done)(void *ctx, uint32_t slot, unsigned epoch, uint32_t count);
    void (*value)(void *ctx, uint32_t slot, const cw_answer_value_t *to, const void *value,
                  size_t nbytes);
} cw_forward_ops_t;

typedef struct cw_forward_config {
    const cw_topology_t *topology;
    uint32_t node, nslots;
    size_t buffer_nbytes;
    uint32_t nbuffers;  // of each PE of a neighbour
    bool packs;
    bool combines;  // packed fetch-and-adds; then pe is slot 0's
    uint32_t pe;
    void *cells;  // cw_forward_cells_nbytes, aligned to 128, of any content
    /** [degree], at first 0: final nodes (cw_forward_bit) of what this node has sent to the
     *  neighbour since that gave units back. PEs set bits before they send. */
    _Atomic uint64_t *unanswered;
} cw_forward_config_t;

/** A request of a PE of this node. Its memory stays the PE's. */
typedef struct cw_forward_own {
    const void *request;
    uint32_t nbytes, slot;
    uint32_t next;  // number of the one behind it
    bool is_gone;   // atomic: request and this are free again
} cw_forward_own_t;

typedef struct cw_forward_counts {
    uint64_t executed, passed, kept, messages, packed, combined, answers, dropped;
    uint64_t held, most_held;   // bytes of cells
    uint64_t waiting, longest;  // requests
} cw_forward_counts_t;

/** The answer to a request executed at once. */
typedef struct cw_forward_now {
    const void *value;  // NULL: not executed, the answer goes to the PE's node. Valid until the
                        // next call
    size_t nbytes;
    uint32_t freed;     // units of the sender's window freed since the start
} cw_forward_now_t;

typedef struct cw_forward cw_forward_t;

uint64_t cw_forward_cells_nbytes(const cw_forward_config_t *config);
/** Units of a sender's window. */
uint32_t cw_forward_window(const cw_forward_config_t *config);

/** NULL: no memory. `cells` stays the caller's. */
cw_forward_t *cw_forward_create(const cw_forward_config_t *config, const cw_forward_ops_t *ops,
                                void *ctx);
void cw_forward_destroy(cw_forward_t *f);

// From slot `slot` of a node. False: it was dropped, as *why_p says: it breaks the protocol, or
// there is no memory.
bool cw_forward_arrived(cw_forward_t *f, uint32_t from, uint32_t slot, const void *request,
                        size_t nbytes, const char **why_p);
/** For a PE that can be answered itself: if a request that wants a value is executed at once, *now
 *  has that and the units given back, and the PE's node gets no answers; else *now is left. */
bool cw_forward_asked(cw_forward_t *f, uint32_t from, uint32_t slot, const void *request,
                      size_t nbytes, cw_forward_now_t *now, const char **why_p);
bool cw_forward_packed(cw_forward_t *f, uint32_t from, uint32_t slot, const void *message,
                       size_t nbytes, const char **why_p);
bool cw_forward_answered(cw_forward_t *f, uint32_t from, const void *records, size_t nbytes,
                         const char **why_p);

/** One of 64 sets. */
static inline uint64_t cw_forward_bit(uint32_t final_node)
{
    return UINT64_C(1) << (final_node & 63);
}

/** A request of this node's PE of slot own->slot to another node. */
bool cw_forward_own(cw_forward_t *f, cw_forward_own_t *own, const char **why_p);

static inline bool cw_forward_own_is_gone(const cw_forward_own_t *own)
{
    return __atomic_load_n(&own->is_gone, __ATOMIC_ACQUIRE);
}

/** Sends what can be sent; returns whether something was. */
bool cw_forward_turn(cw_forward_t *f);
/** Do requests or answers wait here? */
bool cw_forward_holds(const cw_forward_t *f);
const cw_forward_counts_t *cw_forward_counts(const cw_forward_t *f);

#endif
