// SPDX-License-Identifier: BSD-3-Clause
//
// Requests that the target's node server executes (core/server/request.c): the wire format behind
// cwt_header_t. Little-endian hosts of one word size only. Offsets are in the target's node object.
// The server checks every field.
#ifndef CW_CORE_ROUTE_REQUEST_H
#define CW_CORE_ROUTE_REQUEST_H

#include <string.h>

#include "base/compiler.h"
#include "transport/transport.h"

// cwt_header_t.op; others are active messages
enum {
    CW_REQ_ROUTED = 0x8000,  // a bit: a cw_forward_tail_t ends the request
    CW_REQ_AMO = 1,          // cw_req_amo_t; reply: old value, 8 bytes
    CW_REQ_PUT_STRIDED = 2,  // cw_req_strided_t, then nblocks * block_nbytes; no reply
    CW_REQ_GET_STRIDED = 3,  // cw_req_strided_t; reply: nblocks * block_nbytes
    CW_REQ_BATCH = 4,        // cw_req_batch_t, records, in order; reply: values, padded to whole
                             // words, if any
    CW_REQ_FILL = 9,         // cw_req_fill_t; no reply
    CW_REQ_GET_PIECES = 10,  // a header, a word for each piece; reply: their bytes, unpadded
    CW_REQ_ACCUMULATE = 11,  // cw_req_accumulate_t, records, in order; no reply
    CW_REQ_CELLS = 12,       // cw_req_cells_t; reply: cw_cells_t
    CW_REQ_IN_CELL = 13,     // cw_req_in_cell_t; empty reply: the cell is free
    CW_REQ_PUT_PIECES = 16,  // a header, records, in order; no reply
    CW_REQ_PRIVATE = 20,     // core/owner/private.c
    CW_REQ_LOCALITY = 22,    // src/dart/place.c
    CW_REQ_UPDATE = 21,      // src/dart/update.c
    CW_REQ_MARKED = 24,      // core/sync/marked.c
    CW_REQ_DEVICE = 25,      // core/device/remote.c
    CW_REQ_TO_CELL = 23,     // cw_req_to_cell_t, perhaps a request; reply: u64, bytes in the cell
    // between servers
    CW_REQ_ANSWERS = 14,  // a header, records (core/route/answers.h)
    CW_REQ_PACKED = 15,   // a header, routed requests (core/route/forward.h)
};

typedef enum cw_amo_op {
    CW_AMO_FETCH,
    CW_AMO_SET,
    CW_AMO_ADD,
    CW_AMO_AND,
    CW_AMO_OR,
    CW_AMO_XOR,
    CW_AMO_SWAP,
    CW_AMO_CSWAP,
    // Computed, by compare-and-swap: signed, unsigned and floating point.
    CW_AMO_MULT,
    CW_AMO_MIN,
    CW_AMO_MAX,
    CW_AMO_UMIN,
    CW_AMO_UMAX,
    CW_AMO_FADD,
    CW_AMO_FMULT,
    CW_AMO_FMIN,
    CW_AMO_FMAX,
    CW_AMO_OPS
} cw_amo_op_t;
// Computed ones: by cw_amo_fetching, and only where atomics are not the NIC's.

/** Both fields by one store. */
static CW_ALWAYS_INLINE void cw_header_name(cwt_header_t *header, uint16_t op, uint16_t slot)
{
    uint32_t both = (uint32_t)op | (uint32_t)slot << 16;
    memcpy((uint8_t *)header + offsetof(cwt_header_t, op), &both, sizeof both);
}

//  0 header | 24 offset | 32 operand | 40 compare | 48 op | 50 nbytes | 52 pad
typedef struct cw_req_amo {
    cwt_header_t header;
    uint64_t offset;  // of the word
    uint64_t operand, compare;
    union {
        struct {
            uint16_t op;      // cw_amo_op_t
            uint16_t nbytes;  // 4 or 8
            uint32_t pad;
        };
        uint64_t kind;  // all three: cw_amo_kind
    };
} cw_req_amo_t;
_Static_assert(sizeof(cw_req_amo_t) == 56, "wire format");

//  0 header | 24 offset | 32 stride | 40 block_nbytes | 44 nblocks | 48 payload
typedef struct cw_req_strided {
    cwt_header_t header;
    uint64_t offset;  // of block 0
    int64_t stride;   // bytes
    uint32_t block_nbytes;
    uint32_t nblocks;
} cw_req_strided_t;
_Static_assert(sizeof(cw_req_strided_t) == 48, "wire format");

//  0 header | 24 offset | 32 nbytes | 40 value
typedef struct cw_req_fill {
    cwt_header_t header;
    uint64_t offset;  // in the target's node object
    uint64_t nbytes;
    uint64_t value;  // a byte
} cw_req_fill_t;
_Static_assert(sizeof(cw_req_fill_t) == 48, "wire format");

//  0 header | 24 records: a word (below), then nbytes of payload or a fetching atomic's operands,
//               padded to whole words
typedef struct cw_req_batch {
    cwt_header_t header;
} cw_req_batch_t;
_Static_assert(sizeof(cw_req_batch_t) == 24, "wire format");

// the record's word: 0..47 offset in the target's node object | 48..51 kind | 52..63 nbytes
#define CW_BATCH_OFFSET_MAX ((UINT64_C(1) << 48) - 1)
#define CW_BATCH_RECORD(offset, kind, nbytes) \
    ((offset) | (uint64_t)(kind) << 48 | (uint64_t)(nbytes) << 52)
#define CW_BATCH_KIND(word) ((unsigned)((word) >> 48) & 15)
#define CW_BATCH_NBYTES(word) ((size_t)((word) >> 52))
enum {
    CW_BATCH_PUT = 0,
    CW_BATCH_AMO = 1,   // + cw_amo_op_t without a value; nbytes 4 or 8
    CW_BATCH_GET = 9,   // no payload
    CW_BATCH_FETCH = 10,   // nbytes: CW_BATCH_FETCHING; payload: operand, then a cswap's compare
                            // value
    CW_BATCH_MESSAGE = 11,  // core/am/wire.h
    CW_BATCH_ADD = 12       // + cwu_number_t, one of CW_PARTS: whole parts
};
#define CW_BATCH_FETCHING(op, nbytes) ((unsigned)(op) << 4 | (unsigned)(nbytes))
#define CW_BATCH_ANSWERS 4064u  // bytes of the reply

// a piece's word, before its bytes, padded to whole words, in CW_REQ_PUT_PIECES: 0..47 offset in
// the target's node object | 48..63 nbytes
#define CW_PIECE_WORD(offset, nbytes) ((offset) | (uint64_t)(nbytes) << 48)
#define CW_PIECE_NBYTES_MAX 65528u

//  0 header | 24 part | 28 pad | 32 records: a word (below), then nbytes of payload, padded to
//                                                whole words
typedef struct cw_req_accumulate {
    cwt_header_t header;
    uint32_t part;  // cwu_number_t, one of CW_PARTS
    uint32_t pad;
} cw_req_accumulate_t;
_Static_assert(sizeof(cw_req_accumulate_t) == 32, "wire format");

// the record's word: 0..47 offset in the target's node object | 48..63 nbytes, whole parts both
#define CW_ACCUMULATE_RECORD(offset, nbytes) ((offset) | (uint64_t)(nbytes) << 48)

// ---------------------------------------------------------------- cells (core/bulk/stage.h)
#define CW_CELL_PAYLOAD 524288u
#define CW_CELL_NBYTES (CW_CELL_PAYLOAD + 4096u)  // with a body's begin
#define CW_CELLS 16u                              // of a node
#define CW_CELLS_MOST 2u                          // of one transfer

/** number: tells it from earlier leases of the cell. */
typedef struct cw_lease {
    uint32_t cell, number;
} cw_lease_t;

//  0 header | 24 want | 28 n | 32 leases given back
typedef struct cw_req_cells {
    cwt_header_t header;
    uint32_t want, n;
    cw_lease_t lease[CW_CELLS_MOST];
} cw_req_cells_t;
_Static_assert(sizeof(cw_req_cells_t) == 32 + 8 * CW_CELLS_MOST, "wire format");

//  0 n | 4 keep | 8 leases
typedef struct cw_cells {
    uint32_t n;
    uint32_t keep;  // they may be kept
    cw_lease_t lease[CW_CELLS_MOST];
} cw_cells_t;
_Static_assert(sizeof(cw_cells_t) == 8 + 8 * CW_CELLS_MOST, "wire format");

//  0 header | 24 lease | 32 nbytes | 36 pad
typedef struct cw_req_in_cell {
    cwt_header_t header;
    cw_lease_t lease;
    uint32_t nbytes;  // of the body, with its cwt_header_t
    uint32_t pad;
} cw_req_in_cell_t;
_Static_assert(sizeof(cw_req_in_cell_t) == 40, "wire format");

//  0 header | 24 lease | 32 nbytes | 36 at | 40 the request, if nbytes is 0
typedef struct cw_req_to_cell {
    cwt_header_t header;
    cw_lease_t lease;
    uint32_t nbytes;  // of the request at the cell's begin; 0: it is here
    uint32_t at;      // where its bytes go in the cell
} cw_req_to_cell_t;
_Static_assert(sizeof(cw_req_to_cell_t) == 40, "wire format");

// ---------------------------------------------------------------- messages
// Core's messages; the transport takes more, for what servers add when they forward (ADR 52).
#define CW_MESSAGE_MAX 4096
_Static_assert(CW_MESSAGE_MAX + 32 <= CWT_MESSAGE_MAX, "room for a route");
_Static_assert(CW_BATCH_ANSWERS + sizeof(cwt_header_t) <= CW_MESSAGE_MAX, "cw_server_reply");
#define CW_STRIDED_PAYLOAD (CW_MESSAGE_MAX - sizeof(cw_req_strided_t))
#define CW_PIECES_PAYLOAD (CW_MESSAGE_MAX - sizeof(cwt_header_t))

#endif
