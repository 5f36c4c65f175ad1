// SPDX-License-Identifier: BSD-3-Clause
//
// What travels between a client and a node server: proofs of the job's secret, formats of first
// contact, requests and replies; and how the node object is cut into regions that keys name.
//
// Everything here is plain data and arithmetic: no state, any thread, never blocks.
#ifndef CWT_OFI_WIRE_H
#define CWT_OFI_WIRE_H

#include "transport/ofi/lib/lib.h"

#define OFI_CREDITS 32u  // requests under way per connection
// so many executed requests are acknowledged when nothing else is to do
#define OFI_ACK_LAZY (OFI_CREDITS / 2)
#define OFI_ACK_NOW (OFI_CREDITS / 4 * 3)         // and so many at once
#define OFI_BUFFER_NBYTES (CWT_MESSAGE_MAX + 64)   // one message buffer
#define OFI_REQUEST_NBYTES (CWT_REQUEST_MAX + 64)  // the same where requests may be long

/** Bytes of a request. */
static inline size_t ofi_longest_request(bool long_requests)
{
    return long_requests ? CWT_REQUEST_MAX : CWT_MESSAGE_MAX;
}

/** Bytes of a server's buffer for one. */
static inline size_t ofi_request_buffer(void)
{
    return ofi_choice.long_requests ? OFI_REQUEST_NBYTES : OFI_BUFFER_NBYTES;
}

// ---------------------------------------------------------------- proofs (proof.c)
typedef enum ofi_purpose {
    OFI_FOR_HELLO = 1,
    OFI_FOR_HELLO2,
    OFI_FOR_WELCOME,
    OFI_FOR_REQUEST,
    OFI_FOR_REPLY,
    OFI_FOR_KEY,
    OFI_FOR_ADDRESS
} ofi_purpose_t;
/** SipHash-2-4 of the purpose (ofi_purpose_t) and data under the job's secret. */
uint64_t ofi_digest(const uint8_t secret[CWT_SECRET_BYTES], uint64_t purpose, const void *data,
                    size_t nbytes);
/** A number that nothing else has drawn; salt: an address of the caller's, where the kernel has no
 *  random numbers yet. */
uint64_t ofi_draw(const void *salt);
/** One comparison of whole words: its time tells nothing of the digits. */
static inline bool ofi_is_same(uint64_t a, uint64_t b)
{
    return (a ^ b) == 0;
}

// ---------------------------------------------------------------- first contact
#define OFI_MAGIC 0x43574159u  // "CWAY"
#define OFI_WIRE 11u

/** Published by a server. */
typedef struct ofi_blob {
    uint32_t magic;
    uint16_t wire;
    uint8_t msg : 1;
    uint8_t nic_atomics : 1;
    uint8_t long_requests : 1;  // of up to CWT_REQUEST_MAX
    uint8_t addr_nbytes;
    uint32_t node;
    char provider[20];
    uint64_t birth;  // drawn by the server: no two of them have the same
    uint16_t life_port;   // of its life.c, network byte order; 0: none
    uint16_t reach_port;  // the same, for first contact
    uint8_t others_nbytes;
    uint8_t addr[83];  // the provider's, and behind it the host's others (ips.c)
} ofi_blob_t;
_Static_assert(sizeof(ofi_blob_t) == CWT_ADDRESS_MAX, "wire format");
/** Fills in the addresses of a host, one at least, as many as there is room for. */
void ofi_blob_put_ips(ofi_blob_t *blob, const ofi_ips_t *ips, uint16_t port);
/** All of them; false: they are malformed, or no sockets'. */
bool ofi_blob_get_ips(const ofi_blob_t *blob, ofi_ips_t *ips_p);

/** Client -> server: private data of the connection request (MSG) or body of the first message
 *  (RDM). Each attempt has one of its own, and a server takes each number of a PE once. */
typedef struct ofi_hello {
    uint32_t magic;
    uint16_t wire, pad;
    uint32_t pe;
    uint32_t number;  // of this PE's attempts to connect, to any node (wraps)
    uint64_t nonce;
    uint64_t proof[2];
} ofi_hello_t;
_Static_assert(sizeof(ofi_hello_t) == 40, "wire format");
/** Which server a hello is meant for. */
typedef struct ofi_whom {
    const uint8_t *secret;  // CWT_SECRET_BYTES of the job
    uint64_t birth;
    int node;
} ofi_whom_t;
void ofi_hello_sign(ofi_hello_t *hello, const ofi_whom_t *whom);
bool ofi_hello_check(const ofi_hello_t *hello, const ofi_whom_t *whom);
/** The token of the first request (OFI_FOR_REQUEST) or of the first message of the server
 *  (OFI_FOR_REPLY) on the connection that the hello opens; each further one carries the next
 *  number. A first message (RDM) itself and a refusal carry none. */
uint64_t ofi_token(const ofi_hello_t *hello, const ofi_whom_t *whom, ofi_purpose_t purpose);

/** Tokens that a receiver takes, each once. */
typedef struct ofi_expected {
    uint64_t next;    // mostly that of the next message
    uint64_t recent;  // bit i: next - 1 - i was taken, or never will be
} ofi_expected_t;
static inline void ofi_expect(ofi_expected_t *expected, uint64_t first)
{
    *expected = (ofi_expected_t){first, UINT64_MAX};
}
/** ofi_token_take where a message overtook others, came before, or is not the sender's. */
bool ofi_token_take_other(ofi_expected_t *expected, uint64_t token);
/** False: it came before, or is not one of the 64 on either side of what is expected. */
static inline bool ofi_token_take(ofi_expected_t *expected, uint64_t token)
{
    if (CW_UNLIKELY(!ofi_is_same(token, expected->next)))
        return ofi_token_take_other(expected, token);
    expected->next++;
    expected->recent = expected->recent << 1 | 1;
    return true;
}

/** Of the last 64 before the one that is expected, the oldest that has not come; 0: all have. */
static inline uint64_t ofi_token_hole(const ofi_expected_t *expected)
{
    uint64_t holes = ~expected->recent;
    return holes ? expected->next - 64 + (uint64_t)__builtin_clzll(holes) : 0;
}

/** The hellos of a PE that a server has taken: none is taken twice. Zeros: none. */
typedef struct ofi_taken {
    uint64_t recent;  // bit i: top - i
    uint32_t top;
    bool any;
} ofi_taken_t;
/** False: it came before, or is older than the last 64. */
bool ofi_take_once(ofi_taken_t *taken, uint32_t number);

/** Body of an RDM client's first message. */
typedef struct ofi_first {
    ofi_hello_t hello;
    uint32_t addr_nbytes, pad;
    uint8_t addr[];
} ofi_first_t;

/** Server -> client: private data of the acceptance (MSG) or body of the first reply (RDM). */
typedef struct ofi_welcome {
    uint32_t magic;
    uint16_t wire, pad;
    uint32_t nkeys;
    uint32_t peer;       // to be named in every request (RDM)
    uint64_t proof;      // over the hello, and all else here
    uint64_t key, base;  // of piece 0; offset + base is the remote address (several pieces without
                         // virtual addresses: less the offset of the piece)
} ofi_welcome_t;
_Static_assert(sizeof(ofi_welcome_t) == 40, "wire format; verbs takes 55 bytes of private data");

_Static_assert(sizeof(ofi_welcome_t) <= OFI_PRIVATE_NBYTES &&
                   sizeof(ofi_hello_t) <= OFI_PRIVATE_NBYTES,
               "what connect and accept carry");
uint64_t ofi_welcome_proof(const ofi_welcome_t *welcome, const ofi_hello_t *hello,
                           const ofi_whom_t *whom);

/** Private data of a rejection. */
typedef struct ofi_reject {
    uint32_t magic;
    uint32_t reason;
} ofi_reject_t;
enum {
    OFI_REJECT_PROOF = 1,
    OFI_REJECT_WIRE,
    OFI_REJECT_NOT_READY,
    OFI_REJECT_RESOURCES,
    OFI_REJECT_AGAIN  // this hello was taken before; a new one is welcome
};

/** Client -> server: a request of the transport's own for the key of a piece, and its reply. */
typedef struct ofi_ask_key {
    uint32_t piece;
    uint32_t count;  // of OFI_OWN_RELEASE: pieces from there on whose keys the client has dropped
} ofi_ask_key_t;
typedef struct ofi_key {
    uint64_t key;  // OFI_NO_KEY: the piece cannot be registered
} ofi_key_t;
_Static_assert(sizeof(ofi_ask_key_t) == 8 && sizeof(ofi_key_t) == 8, "wire format");
#define OFI_NO_KEY FI_KEY_NOTAVAIL

// ---------------------------------------------------------------- replies
/** First bytes of every message of a server. */
typedef struct ofi_reply_header {
    uint64_t token;
    uint64_t reply_id;  // 0: only an acknowledgement; of a refusal: the nonce of the first message
    uint32_t executed;  // requests of this connection executed so far (wraps)
    uint32_t node;      // of the server
    uint32_t nbytes;    // whole message
    uint32_t kind;      // OFI_REPLY…
} ofi_reply_header_t;
_Static_assert(sizeof(ofi_reply_header_t) == 32, "wire format");
enum {
    OFI_REPLY,
    OFI_REPLY_WELCOME,
    OFI_REPLY_REFUSED,
    OFI_REPLY_NOTIFY,  // a notification: no request asked for it
    OFI_REPLY_LOST     // to OFI_OWN_ASK: requests before it were lost
};

// ---------------------------------------------------------------- requests
// cwt_header_t.reply_id on the wire: what the transport adds to a request
//
//    63  reply wanted             39      notifications are allowed, until the client has received
//    62  acknowledgement wanted   24..38  this many (modulo 2^15)
//    61  the transport's own      8..23   generation of the reply
//    40..60  peer                 0..7    index of the reply
#define OFI_ID_REPLY (1ull << 63)
#define OFI_ID_ACK (1ull << 62)
#define OFI_ID_OWN (1ull << 61)
#define OFI_ID_PEER_SHIFT 40
#define OFI_ID_PEER_MASK 0x1fffffu
#define OFI_ID_NOTIFY (1ull << 39)
#define OFI_ID_NOTIFY_SHIFT 24
#define OFI_ID_NOTIFY_MASK 0x7fffu
#define OFI_NOTIFY_ALLOWED ((uint32_t)(OFI_ID_NOTIFY >> OFI_ID_NOTIFY_SHIFT))
#define OFI_ID_LOW ((1ull << OFI_ID_NOTIFY_SHIFT) - 1)
#define OFI_ID_INDEX_BITS 8
#define OFI_ID_INDEX_MASK 0xffu
#define OFI_ALL_REPLIES ((uint32_t)((1ull << OFI_CREDITS) - 1))
_Static_assert(OFI_CREDITS <= 32, "as many replies as credits, one bit each");

/** header.op of the transport's own messages. ASK (RDM): has all come that was sent before? */
enum { OFI_OWN_NOP, OFI_OWN_HELLO, OFI_OWN_BYE, OFI_OWN_KEY, OFI_OWN_RELEASE, OFI_OWN_ASK };

// ---------------------------------------------------------------- pieces (pieces.c)
/** A part of the node object. Where registering pins memory each piece is a region of its own,
 *  registered when a client first asks for its key; chunks of 1 << chunk_shift bytes, the last one
 *  of data and of heap shorter:
 *
 *    piece 0: control area | of slot 0: chunks of data, chunks of heap | of slot 1: ...
 */
typedef struct ofi_span {
    uint64_t offset, nbytes;
} ofi_span_t;
/** How many the node object has. */
uint32_t ofi_pieces(const cwt_layout_t *layout);
ofi_span_t ofi_piece_span(const cwt_layout_t *layout, uint32_t piece);
/** Index of the piece that holds the byte at `offset`, and the rest of that piece from there; -1:
 *  none does. */
int64_t ofi_piece_of(const cwt_layout_t *layout, uint64_t offset, uint64_t *left_p);

#endif
