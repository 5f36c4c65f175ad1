/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the library and kernels share: the handle, and the ring by which a kernel asks for what it
 * cannot do itself. Part of causeway/device.h; its layouts are the library's, not the program's.
 *
 *   ring    in host memory, written by kernels: request of ticket t in place t & mask; `turn` is
 *           stored last, t + 1
 *   taken   in host memory, written by the library: requests below it are taken out
 *   answer  in host memory, written by the library: the answer to t in place t & mask; `turn` last
 *   near    in the device's memory, kernels only: tail is the next ticket; reader[t & mask] is
 *           t + 1 while a kernel waits for that answer: no later request reuses the place */
#ifndef CAUSEWAY_DEVICE_WIRE_H
#define CAUSEWAY_DEVICE_WIRE_H

#include <stdint.h>

/* of a request; AMO_... in the order of the library's own */
enum {
    CWD_PUT = 1, /* near -> far */
    CWD_GET,     /* far -> near */
    CWD_P,       /* operand -> far, `width` bytes */
    CWD_G,       /* far -> the answer, `width` bytes */
    CWD_AMO,
    CWD_PUT_SIGNAL, /* PUT, then AMO on signal by operand */
    CWD_FENCE,
    CWD_QUIET
};
enum {
    CWD_AMO_FETCH,
    CWD_AMO_SET,
    CWD_AMO_ADD,
    CWD_AMO_AND,
    CWD_AMO_OR,
    CWD_AMO_XOR,
    CWD_AMO_SWAP,
    CWD_AMO_CSWAP
};

typedef struct cwd_request {
    uint64_t turn;
    uint8_t what, amo, width, answered; /* answered: the kernel waits for an answer */
    int32_t pe;
    uint64_t far_at;  /* symmetric address */
    uint64_t near_at; /* address of this PE */
    uint64_t nbytes, operand, compare;
    uint64_t signal_at; /* symmetric address */
} cwd_request_t;

typedef struct cwd_answer {
    uint64_t value, turn;
} cwd_answer_t;

typedef struct cwd_near {
    uint64_t tail;
    uint64_t seen;    /* of `taken`, at the last look: reading it costs a way to the host */
    uint64_t settled; /* requests below it are executed, */
    uint64_t quieted; /* and complete at their targets */
    uint64_t unused[4];
} cwd_near_t;

/* A PE of this node: what leads from a symmetric address to its copy. */
typedef struct cwd_peer {
    uint64_t host, device; /* added to an address of the symmetric heap, of the device heap */
    uint32_t direct;       /* this PE's device loads and stores that PE's device heap, */
    uint32_t atomic;       /* and its atomics there are exact */
    uint64_t unused;
} cwd_peer_t;

/* The handle: passed to kernels by value. */
typedef struct cwd_world {
    cwd_request_t *ring;
    cwd_answer_t *answer;
    const uint64_t *taken;
    cwd_near_t *near_words;
    uint64_t *reader;
    const cwd_peer_t *peer;  /* [nslots] */
    const uint32_t *slot_of; /* [npes] where the node's PEs are not `first` and those behind it */
    /* symmetric addresses of the device heap: from here, so many bytes; of static data and the
     * symmetric heap; and of these the bytes that the device loads and stores */
    uint64_t device_at, device_nbytes, host_at, host_nbytes, host_reached;
    int32_t pe, npes;
    uint32_t first, nslots;
    uint32_t mask; /* places of the ring less one */
    uint32_t unused;
} cwd_world_t;

#if defined(__cplusplus)
static_assert(sizeof(cwd_request_t) == 64 && sizeof(cwd_peer_t) == 32, "shared with the library");
static_assert(sizeof(cwd_world_t) == 120, "shared with the library");
#else
_Static_assert(sizeof(cwd_request_t) == 64 && sizeof(cwd_peer_t) == 32, "shared with the library");
_Static_assert(sizeof(cwd_world_t) == 120, "shared with the library");
#endif

#endif
