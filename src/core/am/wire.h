// SPDX-License-Identifier: BSD-3-Clause
//
// Active messages on the wire: requests for the node server (server.c), and notifications with
// replies (back.c). Little-endian hosts of one word size. Receivers check all fields before use.
#ifndef CW_CORE_AM_WIRE_H
#define CW_CORE_AM_WIRE_H

#include "core/route/request.h"
#include "transport/transport.h"

// cwt_header_t.op; core/route/request.h has the other numbers
enum {
    CW_REQ_AM = 5,        // cw_req_am_t, arguments, payload
    CW_REQ_AM_SHORT = 6,  // cw_req_am_short_t, arguments: a request
    CW_REQ_AM_REPLY = 7,  // the same, a reply
    CW_REQ_AM_DONE = 8,   // cw_req_am_done_t: tokens of requests without a reply
};

// Without a payload; op says whether it is a reply.
//   0 header | 24 head | 28 source | 32 target | 36 token | 40 arguments
typedef struct cw_req_am_short {
    cwt_header_t header;
    uint32_t head;           // CW_AM_HEAD
    int32_t source, target;  // PEs
    uint32_t token;
    uint32_t args[];
} cw_req_am_short_t;
_Static_assert(sizeof(cw_req_am_short_t) == 40, "wire format");

//   0 header | 24 head | 28 source | 32 target | 36 token | 40 nbytes | 44 flags | 48 dest
//  56 arguments | payload, from the next multiple of 8
typedef struct cw_req_am {
    cwt_header_t header;
    uint32_t head;
    int32_t source, target;
    uint32_t token;
    uint32_t nbytes;  // of the payload, here or put before
    uint32_t flags;   // CW_AM_C_…
    uint64_t dest;    // of a long: offset in the target's slice, or its address
    uint32_t args[];
} cw_req_am_t;
_Static_assert(sizeof(cw_req_am_t) == 56, "wire format");
/** Bytes up to the payload. */
#define CW_REQ_AM_NBYTES(nargs)                                                \
    ((sizeof(cw_req_am_t) + (size_t)(nargs) * sizeof(uint32_t) + 7) / 8 * 8)
// A payload that the transport does not take whole comes in messages with CW_AM_C_PART,
// CW_AM_PACKET bytes each in any order, behind a word with their offset. nbytes: of all.
#define CW_AM_PARTS_MOST ((CW_AM_MOST_MEDIUM + CW_AM_PACKET - 1) / CW_AM_PACKET)

//   0 header | 24 target | 28 words | 32 bits, of these words only
typedef struct cw_req_am_done {
    cwt_header_t header;
    int32_t target;   // PE of the requests
    uint32_t words;   // bit w: tokens 64 w to 64 w + 63 have a word
    uint64_t bits[];  // by number of the token
} cw_req_am_done_t;
_Static_assert(sizeof(cw_req_am_done_t) == 32, "wire format");

// A collected short message, in CW_REQ_BATCH a record of kind CW_BATCH_MESSAGE, with this as its
// offset: 0..31 source | 32..46 slot of the target | 47 a reply. nbytes of:
//   0 head | 4 token | 8 arguments
typedef struct cw_record_am {
    uint32_t head;
    uint32_t token;
    uint32_t args[CW_AM_MAX_ARGS];
} cw_record_am_t;
_Static_assert(sizeof(cw_record_am_t) == 72, "wire format");
#define CW_RECORD_AM_NBYTES(nargs) (8 + (size_t)(nargs) * sizeof(uint32_t))
#define CW_RECORD_AM_FIELD(source, slot) ((uint64_t)(uint32_t)(source) | (uint64_t)(slot) << 32)
#define CW_RECORD_AM_REPLY (UINT64_C(1) << 47)
#define CW_RECORD_AM_SLOTS 32768

// A reply over the connection of its request, without a header.
//   0 head | 4 source | 8 token | 12 nbytes | 14 kind
//  16 arguments | a medium's payload, from the next multiple of 8
typedef struct cw_notify_am {
    uint32_t head;
    int32_t source;
    uint32_t token;
    uint16_t nbytes, kind;  // of the payload; cw_am_kind_t
    uint32_t args[];
} cw_notify_am_t;
_Static_assert(sizeof(cw_notify_am_t) == 16, "wire format");
/** Bytes up to the payload. */
#define CW_NOTIFY_AM_NBYTES(nargs)                                               \
    ((sizeof(cw_notify_am_t) + (size_t)(nargs) * sizeof(uint32_t) + 7) / 8 * 8)

#endif
