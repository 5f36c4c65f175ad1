// SPDX-License-Identifier: BSD-3-Clause
//
// A PE's inbox, behind the heap in its slice: rings of cells for requests and replies, and
// payloads. Sparse; all zero at first.
//
//      0  tail of the request ring
//    256  tail of the reply ring
//    512  tokens of requests handled without a reply; count of senders that wait for room
//   4096  cells of requests, cells of replies, a buffer for each request cell, each token
//
// A ring has many producers and one consumer. A producer advances the tail, fills the cell and
// hands it over by `turn`; the consumer may take cells behind one that is unfinished.
//
//   turn of position p in lap L = p / cells (modulo 2^30):
//     4L    free for p            a producer may take p
//     4L+1  full                  stored with release, read by the consumer with acquire
//     4L+2  taken out of turn     the consumer's, until it frees the cell
//     4L+4  free for p + cells    the same by producers
#ifndef CW_CORE_AM_INBOX_H
#define CW_CORE_AM_INBOX_H

#include "core/am/am.h"
#include "core/mem/segment.h"

#define CW_AM_REQUEST_CELLS_LOG 8
// more than tokens: a reply waits only for an unfinished cell
#define CW_AM_REPLY_CELLS_LOG 11
#define CW_AM_TOKENS 1024u       // a PE's requests under way
#define CW_AM_BUFFER_LOG 12u  // unless cw_am_reserve wants more
// payload that fits a cell beside CW_AM_INLINE_ARGS arguments
#define CW_AM_INLINE_NBYTES 64u
#define CW_AM_INLINE_ARGS 8

/** The sender: PE, and from bit 32 on its token, which a reply repeats. */
typedef uint64_t cw_am_from_t;
#define CW_AM_FROM(source, token) ((uint64_t)(uint32_t)(source) | (uint64_t)(token) << 32)
#define CW_AM_FROM_TOKEN(from) ((uint32_t)((from) >> 32))

/** 0 turn | 4 head | 8 source | 12 token | 16 nbytes | 20 flags | 24 dest | 32 arguments, or 8 of
 *  them and at 64 payload */
typedef struct cw_am_cell {
    _Alignas(128) _Atomic uint32_t turn;
    uint32_t head;  // CW_AM_HEAD
    union {
        struct {
            int32_t source;
            uint32_t token;  // generation << 16 | number
        };
        cw_am_from_t from;  // both, on little-endian hosts
    };
    uint32_t nbytes;
    uint32_t flags;  // CW_AM_C_…
    uint64_t dest;    // of a long: offset in the slice or, if raw, address; CW_AM_C_ORIGIN
    uint32_t args[CW_AM_MAX_ARGS];
    uint32_t rest[8];
} cw_am_cell_t;
_Static_assert(sizeof(cw_am_cell_t) == 128,
               "two cache lines, the second for many arguments or a small payload");

enum {
    CW_AM_C_KIND = 3,  // cw_am_kind_t
    CW_AM_C_REPLY = 4,
    CW_AM_C_RAW = 8,      // a long with a medium's payload: the target copies it to dest
    CW_AM_C_INLINE = 16,  // the payload is in the cell
    CW_AM_C_HERE = 32,    // on the wire: a long whose payload the server copies
    CW_AM_C_ORIGIN = 64,  // dest is the origin of a short or medium request (back.c)
    CW_AM_C_NOTIFIED = 128,   // a reply over the connection of its request
    CW_AM_C_COLLECTED = 256,  // a short request of a flood (credit.c)
    CW_AM_C_PART = 512        // on the wire: a part of a payload (wire.h)
};

typedef struct cw_am_inbox {
    _Alignas(256) _Atomic uint64_t request_tail;
    _Alignas(256) _Atomic uint64_t reply_tail;
    // tokens of mine whose request was handled without a reply
    _Alignas(256) _Atomic uint64_t done[CW_AM_TOKENS / 64];
    _Atomic uint32_t blocked;  // senders that sleep until there is room
    _Alignas(4096) cw_am_cell_t request[1u << CW_AM_REQUEST_CELLS_LOG];
    cw_am_cell_t reply[1u << CW_AM_REPLY_CELLS_LOG];
    _Alignas(4096) uint8_t buffers[];  // of request cells, of tokens; cw_am_buffers
} cw_am_inbox_t;
_Static_assert(CW_AM_PACKET <= 1u << CW_AM_BUFFER_LOG, "a payload fits a buffer");
_Static_assert(CW_AM_TOKENS % 64 == 0, "bit maps");

extern cw_section_t cw_am_section CW_HIDDEN;

/** Buffers of an inbox, equal in all PEs from cw_init on; untouched ones cost addresses only. */
typedef struct cw_am_buffers {
    uint32_t log;   // 1 << log bytes each
    uint32_t most;  // bytes of a payload
} cw_am_buffers_t;
extern cw_am_buffers_t cw_am_buffers CW_HIDDEN;

/** As the node's server reaches it; PEs use peer words. */
static inline cw_am_inbox_t *cw_am_inbox(int slot)
{
    return (cw_am_inbox_t *)(void *)(cw_segment.base + cw_slice_offset((uint32_t)slot) +
                                     cw_am_section.offset);
}

static inline uint32_t cw_am_turn(uint64_t position, unsigned cells_log)
{
    return (uint32_t)(position >> cells_log) << 2;
}

/** A cell, of which the caller fills all but `turn`; NULL: the ring is full, or an unfinished cell
 *  of the last lap is in the way. */
static CW_ALWAYS_INLINE cw_am_cell_t *cw_am_take(_Atomic uint64_t *tail, cw_am_cell_t *cells,
                                                 unsigned cells_log, uint32_t *full_p)
{
    uint64_t at = atomic_load_explicit(tail, memory_order_relaxed);
    for (;;) {
        cw_am_cell_t *cell = &cells[at & ((1u << cells_log) - 1)];
        uint32_t turn = atomic_load_explicit(&cell->turn, memory_order_acquire),
                 mine = cw_am_turn(at, cells_log);
        if (CW_LIKELY(turn == mine)) {
            if (CW_LIKELY(atomic_compare_exchange_weak_explicit(
                    tail, &at, at + 1, memory_order_relaxed, memory_order_relaxed))) {
                *full_p = mine + 1;
                return cell;
            }
        } else if ((int32_t)(turn - mine) < 0) {
            return NULL;
        } else {
            at = atomic_load_explicit(tail, memory_order_relaxed);
        }
    }
}

static CW_ALWAYS_INLINE void cw_am_hand_over(cw_am_cell_t *cell, uint32_t full)
{
    // pairs with the consumer's load of turn
    atomic_store_explicit(&cell->turn, full, memory_order_release);
}

/** As above for a producer that does not know `turn`. */
static CW_ALWAYS_INLINE void cw_am_hand_over_free(cw_am_cell_t *cell)
{
#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__)  // no register; stores stay in order
    __asm__ volatile("incl %0" : "+m"(cell->turn) : : "cc", "memory");
#else
    cw_am_hand_over(cell, atomic_load_explicit(&cell->turn, memory_order_relaxed) + 1);
#endif
}

static inline cw_am_cell_t *cw_am_take_request(cw_am_inbox_t *inbox, uint32_t *full_p)
{
    return cw_am_take(&inbox->request_tail, inbox->request, CW_AM_REQUEST_CELLS_LOG, full_p);
}

/** False: something, perhaps another producer, is in the way. True: then cw_am_hand_over_free. */
static CW_ALWAYS_INLINE bool cw_am_take_at_once(cw_am_inbox_t *inbox, cw_am_cell_t **cell_p)
{
    uint64_t at = atomic_load_explicit(&inbox->request_tail, memory_order_relaxed);
    size_t beyond = (at & ((1u << CW_AM_REQUEST_CELLS_LOG) - 1)) * sizeof(cw_am_cell_t);
    __asm__("" : "+r"(beyond));  // else the compiler adds the ring's offset before it shifts
    cw_am_cell_t *cell = (cw_am_cell_t *)(void *)((char *)inbox->request + beyond);
    __asm__("" : "+r"(cell));  // one register instead of a sum of three
    uint32_t turn = atomic_load_explicit(&cell->turn, memory_order_acquire);
    if (CW_UNLIKELY(turn != cw_am_turn(at, CW_AM_REQUEST_CELLS_LOG)) ||
        CW_UNLIKELY(!atomic_compare_exchange_strong_explicit(
            &inbox->request_tail, &at, at + 1, memory_order_relaxed, memory_order_relaxed)))
        return false;
    *cell_p = cell;
    return true;
}

static inline cw_am_cell_t *cw_am_take_reply(cw_am_inbox_t *inbox, uint32_t *full_p)
{
    return cw_am_take(&inbox->reply_tail, inbox->reply, CW_AM_REPLY_CELLS_LOG, full_p);
}

/** Of a payload that is not in the cell. */
static CW_ALWAYS_INLINE void *cw_am_request_buffer(cw_am_inbox_t *inbox, const cw_am_cell_t *cell)
{
    return inbox->buffers + ((size_t)(cell - inbox->request) << cw_am_buffers.log);
}

/** Of the reply to the request with that token. */
static CW_ALWAYS_INLINE void *cw_am_reply_buffer(cw_am_inbox_t *inbox, uint32_t token)
{
    size_t number = (1u << CW_AM_REQUEST_CELLS_LOG) + (token & 0xffff);
    return inbox->buffers + (number << cw_am_buffers.log);
}

static inline uint64_t cw_am_inbox_nbytes(void)
{
    uint64_t n = (1u << CW_AM_REQUEST_CELLS_LOG) + CW_AM_TOKENS;
    return sizeof(cw_am_inbox_t) + (n << cw_am_buffers.log);
}

#endif
