// SPDX-License-Identifier: BSD-3-Clause
//
// The collector: the state machine of what a port collects for other nodes, without I/O
// (docs/design/bundles.md).
//
// A node's message is sent when it is full, at each pause, and after an age by the flusher, another
// process of the node.
//
//   FREE -> BUSY <-> OPEN -> AGED -> TAKEN -> FREE     BUSY: its PE writes into it; the flusher
//                     ^-BUSY-^  BUSY -> FREE (sent)    changes OPEN, AGED and TAKEN only
//
// `direct` counts operations down from `at_once` after a pause; those beyond are looked at, and may
// be collected. What the flusher sends may overtake what its PE has sent, so after a fence a
// message opens when all before it is proved.
//
// Threads: one at a time, but for cw_collect_due and cw_bundle_tick. Blocking: as cw_collect_ops_t
// does.
#ifndef CW_CORE_COLLECT_COLLECT_H
#define CW_CORE_COLLECT_COLLECT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/compiler.h"

#define CW_BUNDLE_MAX 16000u     // most bytes of a message
#define CW_BUNDLE_HEADER 24u     // bytes before its records
#define CW_BUNDLE_ANSWERS 4064u  // most bytes of its reply

#define CW_COLLECT_GROUP 20       // operations between pauses that are no flood
#define CW_COLLECT_CALM 2u        // pauses in a row, without a message, that end a flood
#define CW_COLLECT_AGE_NS 40000u  // a message of that age is to leave

enum { CW_BUNDLE_FREE, CW_BUNDLE_BUSY, CW_BUNDLE_OPEN, CW_BUNDLE_AGED, CW_BUNDLE_TAKEN };

/** A message, in memory that the flusher, if any, maps. */
// 0 state | 4 serial | 8 node | 12 nbytes | 16 answers | 20 pad | 64 message; once the flusher has
// sent it, the answers begin at its first record
typedef struct cw_bundle {
    CW_CACHE_ALIGNED _Atomic uint32_t state;
    _Atomic uint32_t serial;  // counts uses
    _Atomic uint32_t node;    // destination; the flusher reads it before it owns the bundle
    uint32_t nbytes;          // of the message, with its header
    uint32_t answers;         // bytes of the reply, due or come; 0: none
    CW_CACHE_ALIGNED uint64_t word[CW_BUNDLE_MAX / sizeof(uint64_t)];
} cw_bundle_t;
_Static_assert(sizeof(cw_bundle_t) == 64 + CW_BUNDLE_MAX, "shared between processes");

enum {
    CW_FLUSHER_AWAKE,  // looks again soon
    CW_FLUSHER_RESTS,  // looks later; wakened for bundles that it may have to take
    CW_FLUSHER_ASLEEP  // until it is wakened
};

typedef enum cw_bundle_reason {
    CW_BUNDLE_FULL,
    CW_BUNDLE_QUIET,
    CW_BUNDLE_FENCE,
    CW_BUNDLE_WAIT,
    CW_BUNDLE_ORDER,     // before an operation that must not overtake it
    CW_BUNDLE_TOO_OLD,   // sent by its PE
    CW_BUNDLE_BY_SERVER  // sent by the flusher
} cw_bundle_reason_t;
enum { CW_BUNDLE_REASONS = CW_BUNDLE_BY_SERVER + 1 };

typedef struct cw_bundle_stats {
    uint64_t operations, nbytes;  // bundled; of the messages
    uint64_t sent[CW_BUNDLE_REASONS];
} cw_bundle_stats_t;

/** The ledger: what was collected and is not proved. A bit is cleared after what makes it needless.
 *  The collector's user has the other bits. */
enum {
    CW_BUNDLES_BUSY = 1,    // operations were looked at since the last pause
    CW_BUNDLES_PUTS = 2,    // bundles with puts were sent since the last quiet
    CW_BUNDLES_SENT = 4,    // bundles were, with or without puts
    CW_BUNDLES_FENCED = 8,  // a fence since the last quiet has waited for nothing
    CW_BUNDLES_AHEAD = CW_BUNDLES_BUSY | CW_BUNDLES_PUTS,  // other operations may have to wait
    CW_BUNDLES_UNPROVED = CW_BUNDLES_PUTS | CW_BUNDLES_SENT | CW_BUNDLES_FENCED
};

/** What is collected of a port for one node. */
typedef struct cw_queue {
    uint32_t most;          // bytes of a message
    bool puts;              // it has puts
    bool proved;            // all under way when it opened was executed
    cw_bundle_t *open;      // NULL: nothing is collected
    struct cw_queue *next;  // in `filled`
    uint64_t opened_ns;
    uint64_t sent_ns;       // when a message, or one of many operations, was last sent
    uint32_t pauses, ops;   // ops: looked at since that pause, and sent at once
} cw_queue_t;

/** What opens a message. */
typedef enum cw_collect_policy {
    CW_COLLECT_FLOOD,    // those of a flood, beyond the first to the node
    CW_COLLECT_MESSAGE,  // all: the caller knows that there are many; in order after nothing
    CW_COLLECT_ALWAYS    // all; needs ops and queues alone
} cw_collect_policy_t;

typedef struct cw_bundle_order {
    bool behind;  // must not overtake what was sent otherwise
    bool proved;  // output: all before it is executed
} cw_bundle_order_t;

/** With CW_COLLECT_ALWAYS alone, await, prove, wake and the ledger may be NULL. */
typedef struct cw_collect_ops {
    /** Memory for a message, with its node, and back. NULL: none is free. */
    cw_bundle_t *(*take)(cw_queue_t *q);
    void (*give)(cw_queue_t *q, cw_bundle_t *b);
    /** Sends the open message; returns when its memory is free. last: a proof follows. */
    void (*send)(cw_queue_t *q, bool last);
    /** Waits until the flusher's message is executed; takes its values. */
    void (*await)(cw_queue_t *q);
    /** Waits until all sent is executed. */
    void (*prove)(void);
    void (*wake)(void);  // the flusher
    uint64_t (*now_ns)(void);
} cw_collect_ops_t;

typedef struct cw_collect {
    const cw_collect_ops_t *ops;
    const _Atomic uint32_t *flusher;  // CW_FLUSHER_...; NULL: there is none
    _Atomic uint8_t *due;             // ledger, and bits of its owner; NULL: nothing to overtake
    int32_t *direct;                  // operations until one is looked at
    _Atomic bool *looked;             // an operation was looked at since the last pause
    // ---- the flood rule
    int32_t least;                    // CW_COLLECT_GROUP; 0: all is looked at
    int32_t group;                    // least, or more where messages do not pay
    int32_t at_once;                  // value of `direct` after a pause; 0: a flood
    uint32_t calm, pauses, messages;  // messages: since the last pause
    uint64_t counted, counted_full;   // of the stats at that pause
    uint32_t prompt;                  // messages sent before they aged
    // ----
    bool sending;  // its thread must not enter again from a wait
    cw_queue_t *filled;
    cw_bundle_stats_t stats;
} cw_collect_t;

/** all: each operation is looked at. ops and what they need are set. */
void cw_collect_begin(cw_collect_t *c, bool all);

// The rare part of cw_collect_room. NULL: the operation goes by itself.
cw_bundle_t *cw_collect_renew(cw_collect_t *c, cw_queue_t *q, cw_collect_policy_t policy,
                              cw_bundle_order_t *order);
/** Sends the open message, or waits for the flusher. */
void cw_collect_send(cw_collect_t *c, cw_queue_t *q, cw_bundle_reason_t reason);
void cw_collect_send_own(cw_collect_t *c, cw_queue_t *q, cw_bundle_reason_t reason);
void cw_collect_publish_new(cw_collect_t *c, cw_bundle_t *b);

/** Sends all, without a pause. */
void cw_collect_flush(cw_collect_t *c, cw_bundle_reason_t reason);
/** A pause: sends all, and judges the operations before it. */
void cw_collect_pause(cw_collect_t *c, cw_bundle_reason_t reason);
/** ordered: between two operations in order, which is no pause. True: the caller must wait until
 *  all is executed. */
bool cw_collect_fence(cw_collect_t *c, bool ordered);
/** All that was sent is executed. */
void cw_collect_proved(cw_collect_t *c);
/** Puts in messages that were sent precede what follows. */
void cw_collect_fenced_puts(cw_collect_t *c);
/** Direct operations were as many as half a group. True: they are a flood. */
bool cw_collect_stream(cw_collect_t *c, uint32_t *pauses);

static inline unsigned cw_collect_due(const cw_collect_t *c)
{
    return atomic_load_explicit(c->due, memory_order_acquire);
}

/** A pause with nothing collected before it. */
static inline void cw_collect_rest(cw_collect_t *c)
{
    __atomic_store_n(c->direct, c->at_once, __ATOMIC_RELAXED);
}

/** Makes it BUSY, to write into it or send it. False: the flusher took it. *aged_p: it was AGED. */
static CW_ALWAYS_INLINE bool cw_bundle_claim(cw_bundle_t *b, bool *aged_p)
{
    uint32_t state = CW_BUNDLE_OPEN;
    *aged_p = false;
    // acquire, and release in cw_collect_end: the flusher reads what was written before
    if (CW_LIKELY(atomic_compare_exchange_strong_explicit(
            &b->state, &state, CW_BUNDLE_BUSY, memory_order_acquire, memory_order_acquire)))
        return true;
    *aged_p = true;
    return state == CW_BUNDLE_AGED &&
           atomic_compare_exchange_strong_explicit(&b->state, &state, CW_BUNDLE_BUSY,
                                                   memory_order_acquire, memory_order_acquire);
}

typedef struct cw_room {
    cw_bundle_t *b;
    uint64_t *at;
    bool aged;  // the flusher marked b, so cw_collect_end sends it
} cw_room_t;

/** Room for a record of nwords that asks for a value of `answer` bytes; cw_collect_end follows.
 *  False: the operation goes by itself. order: NULL, or the operation is in order. */
static CW_ALWAYS_INLINE bool cw_collect_room(cw_collect_t *c, cw_queue_t *q, size_t nwords,
                                             size_t answer, cw_collect_policy_t policy,
                                             cw_bundle_order_t *order, cw_room_t *room)
{
    if (order && q->open && (order->behind || !q->proved))
        cw_collect_send(c, q, CW_BUNDLE_ORDER);
    cw_bundle_t *b = q->open;
    room->aged = false;
    if (CW_UNLIKELY(!b) || CW_UNLIKELY(!cw_bundle_claim(b, &room->aged)) ||
        CW_UNLIKELY(b->nbytes + nwords * sizeof(uint64_t) > q->most) ||
        CW_UNLIKELY(b->answers + answer > CW_BUNDLE_ANSWERS)) {
        b = cw_collect_renew(c, q, policy, order);
        room->aged = false;
        if (!b)
            return false;
    }
    room->b = b;
    room->at = &b->word[b->nbytes / sizeof(uint64_t)];
    return true;
}

static CW_ALWAYS_INLINE void cw_collect_end(cw_collect_t *c, cw_queue_t *q, const cw_room_t *room,
                                            size_t nwords, size_t answer, bool is_put)
{
    cw_bundle_t *b = room->b;
    uint32_t before = b->nbytes;
    b->nbytes = before + (uint32_t)(nwords * sizeof(uint64_t));
    if (answer > 0)
        b->answers += (uint32_t)answer;
    if (is_put)
        q->puts = true;
    c->stats.operations++;
    if (CW_UNLIKELY(room->aged))
        cw_collect_send_own(c, q, CW_BUNDLE_TOO_OLD);
    else if (CW_UNLIKELY(before == CW_BUNDLE_HEADER))
        cw_collect_publish_new(c, b);
    else
        atomic_store_explicit(&b->state, CW_BUNDLE_OPEN, memory_order_release);
}

/** Appends a record: its word, and nbytes, padded to whole words. False: as cw_collect_room. */
static CW_ALWAYS_INLINE bool cw_collect_append(cw_collect_t *c, cw_queue_t *q, uint64_t record,
                                               const void *src, size_t nbytes, bool is_put,
                                               cw_collect_policy_t policy, cw_bundle_order_t *order)
{
    size_t words = 1 + (nbytes + 7) / 8;
    cw_room_t room;
    if (!cw_collect_room(c, q, words, 0, policy, order, &room))
        return false;
    room.at[words - 1] = 0;  // padding
    room.at[0] = record;
    if (nbytes == 8)
        memcpy(room.at + 1, src, 8);
    else if (nbytes == 4)
        memcpy(room.at + 1, src, 4);
    else
        memcpy(room.at + 1, src, nbytes);
    cw_collect_end(c, q, &room, words, 0, is_put);
    return true;
}

// ---------------------------------------------------------------- the flusher's side
typedef struct cw_bundle_seen {
    uint32_t serial, ticks;  // ticks: with that serial
} cw_bundle_seen_t;

enum {
    CW_TICK_USED = 1,    // since the tick before
    CW_TICK_IN_USE = 2,  // now
    CW_TICK_OPEN = 4,    // it may have to be taken
    CW_TICK_TAKEN = 8    // the flusher sends it and calls cw_bundle_executed
};

/** Two ticks are an age. */
unsigned cw_bundle_tick(cw_bundle_t *b, cw_bundle_seen_t *seen);
/** answers: bytes of its values. */
void cw_bundle_executed(cw_bundle_t *b, uint32_t answers);

#endif
