// SPDX-License-Identifier: BSD-3-Clause
//
// Active messages between PEs: a request runs a handler in the target PE, which may send one reply,
// which runs a handler in the PE of the request. What clients see; the design is in
// docs/adr/0014-active-messages.md.
//
// Handlers run only in the target PE and only inside calls that may poll: cw_am_poll, the request
// functions and every wait of the library (core/progress/wait.h, so collectives too). They never
// nest: inside a handler nothing polls and a request is refused; a request's handler may send one
// reply to the source of the request, a reply's handler sends nothing. A reply is always possible,
// since the request reserved the room for it. The order of messages is undefined.
// Threads: below CW_THREAD_MULTIPLE one at a time; with it any thread may send and poll at the same
// time as others, and handlers of different messages run at the same time in different threads.
// open, close and register: one thread.
// Blocking: requests may wait (for credits, for room at the target, for a connection); meanwhile
// they poll, make progress and sleep. Polls never block. Replies wait for the network at most.
// Errors: wrong use is fatal for the job, and the message names the call (cw_am_names_t), PE and
// argument.
#ifndef CW_CORE_AM_H
#define CW_CORE_AM_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/rma/hot.h"

#define CW_AM_MAX_ARGS 16
#define CW_AM_PACKET ((size_t)3968)  // bytes of payload that every transport carries in one message
#define CW_AM_MOST_MEDIUM ((size_t)65536)    // the most that cw_am_reserve may ask for
#define CW_AM_MAX_LONG ((size_t)0x7fffffff)  // of a long, but for CW_AM_RAW: there as of mediums
#define CW_AM_SMALL ((size_t)64)             // of cw_am_medium4, cw_am_long4
#define CW_AM_HANDLERS 256

/** A client: a room or front end that uses messages, with a table of handlers of its own. Each
 *  brings a fixed number below CW_AM_CLIENTS, which must be the same in all PEs and no other's:
 *  front ends count from 0 up, rooms of core from the end down. Constants, because the head of a
 *  message (CW_AM_HEAD) is one as far as it can be. */
typedef unsigned cw_am_client_t;
#define CW_AM_CLIENTS 8u
typedef enum cw_am_kind { CW_AM_SHORT, CW_AM_MEDIUM, CW_AM_LONG } cw_am_kind_t;

/**
 * What a handler gets as its first argument (the "token" of GASNet). Valid while the handler runs,
 * in its thread. payload of a medium: 8-byte aligned, the library's, gone when the handler returns.
 * Of a long: where it was put, in this PE's own addresses.
 */
typedef struct cw_am_msg {
    int source;     // PE that sent it
    uint32_t head;  // CW_AM_HEAD
    bool is_reply, replied;
    bool collected;  // its sender has sent many, so the reply may wait for others
    cw_am_kind_t kind;
    int nargs;
    const uint32_t *args;  // [nargs]
    void *payload;         // medium, long
    size_t nbytes;
    uint32_t token;   // core's own: whose room the reply takes
    uint64_t origin;  // and the connection that the request came on, if the reply may take it; else
                      // 0
} cw_am_msg_t;

/**
 * A handler as clients write them, called with its real signature:
 *     short         void h(cw_am_msg_t *token, uint32_t arg0, ...)
 *     medium, long  void h(cw_am_msg_t *token, void *payload, size_t nbytes, uint32_t arg0, ...)
 */
typedef void (*cw_am_handler_t)(void);

/** What the client's users call the functions, for messages: [request or reply][kind],
 *  "gasnet_AMRequestShort". */
typedef struct cw_am_names {
    const char *send[2][3];
    const char *poll;
} cw_am_names_t;

/** Before cw_init: mediums are to have that many bytes of payload, of which CW_AM_PACKET to
 *  CW_AM_MOST_MEDIUM are possible. All PEs must want the same. setting: the variable that says it,
 *  for messages. */
typedef struct cw_am_wish {
    size_t (*nbytes)(void);  // called in cw_init
    const char *setting;
} cw_am_wish_t;
void cw_am_reserve(const cw_am_wish_t *wish);
/** Bytes of payload of a medium, request or reply, and of a CW_AM_RAW long: after cw_init. */
size_t cw_am_max_medium(void);

/** Before cw_init, if it can be: messages will be opened. Connections of a PE that did not say so,
 *  and had its first before it opened messages, take no replies (docs/adr/0028). */
void cw_am_expect(void);
/** First of all, after cw_init, by every PE that sends or receives; counted. names must live on.
 *  Fatal if another client, one with other names, has opened that number. */
void cw_am_open(cw_am_client_t client, const cw_am_names_t *names);
/** After a barrier, before cw_finalize: this PE sends no more messages of that client, and those
 *  that still come are dropped. */
void cw_am_close(cw_am_client_t client);
/** fn NULL: no longer. index 0 .. CW_AM_HANDLERS - 1. A message for an index without handler is
 *  fatal at the target. */
void cw_am_register(cw_am_client_t client, int index, cw_am_handler_t fn);
/** What is registered, or NULL. */
cw_am_handler_t cw_am_registered(cw_am_client_t client, int index);

/** May the nbytes (not 0) of a raw long, whose handler is about to run, be copied to dest? */
typedef bool (*cw_am_takes_t)(const cw_am_msg_t *msg, const void *dest, size_t nbytes);
/** Which memory raw longs (CW_AM_RAW) of others may reach; without it none. What it refuses is
 *  fatal. */
void cw_am_take_raw(cw_am_client_t client, cw_am_takes_t takes);

/** Client, handler and number of arguments in one word: a constant in the front end's functions, as
 *  far as it can be. */
#define CW_AM_HEAD(client, handler, nargs) \
    ((uint32_t)(client) << 24 | (uint32_t)(nargs) << 8 | (uint32_t)(uint8_t)(handler))
#define CW_AM_HEAD_HANDLER(head) ((head)&0xffu)
#define CW_AM_HEAD_NARGS(head) ((head) >> 8 & 0x1fu)
#define CW_AM_HEAD_CLIENT(head) ((cw_am_client_t)((head) >> 24))

enum {
    CW_AM_RAW = 1,        // dest of a long is an address of the target process itself, of memory
                          // that need not be symmetric: the target copies, where it takes that. At
                          // most cw_am_max_medium() bytes
    CW_AM_ASYNC = 2,      // src of a long stays in use until the handler of the reply runs, or
                          // cw_quiet
    CW_AM_IMMEDIATE = 4,  // instead of waiting for credits or room give CW_EAGAIN; nothing was sent
                          // then
    CW_AM_NO_POLL = 8     // do not poll first (all requests do, once, before they send)
};

/**
 * Requests. args: [nargs of head], read before the call returns. src: may be changed when the call
 * returns, but for CW_AM_ASYNC; any memory; NULL with 0 bytes. dest of a long: my symmetric address
 * of the object (heap or static data), as for cw_put, but for CW_AM_RAW; the handler gets the
 * target's address of it. The data is there, for all of the target's node, before the handler runs.
 * Returns 0, or CW_EAGAIN (only with CW_AM_IMMEDIATE). [waits]
 */
int cw_am_request_short(int pe, uint32_t head, const uint32_t *args, unsigned flags);
/** The same without flags, with as many arguments as the name says (and head, too). Once messages
 *  are open pe must exist, which the caller checks. Always 0. [waits] */
int cw_am_short0(int pe, uint32_t head);
int cw_am_short1(int pe, uint32_t head, uint32_t a0);
int cw_am_short2(int pe, uint32_t head, uint32_t a0, uint32_t a1);
int cw_am_short3(int pe, uint32_t head, uint32_t a0, uint32_t a1, uint32_t a2);
int cw_am_short4(int pe, uint32_t head, uint32_t a0, uint32_t a1, uint32_t a2, uint32_t a3);
int cw_am_request_medium(int pe, uint32_t head, const uint32_t *args, const void *src,
                         size_t nbytes, unsigned flags);
int cw_am_request_long(int pe, uint32_t head, const uint32_t *args, const void *src, size_t nbytes,
                       void *dest, unsigned flags);
/** The same without flags, for a caller that has checked its own: once messages are open pe exists,
 *  and the payload is not too long; that of a long goes to the heap or an area behind it, at that
 *  offset of the heap. Parameters are in the order in which clients pass them. Always 0. [waits] */
int cw_am_medium(int pe, uint32_t head, const void *src, size_t nbytes, const uint32_t *args);
int cw_am_long(int pe, uint32_t head, const void *src, size_t nbytes, uint64_t offset,
               const uint32_t *args);

/** Up to four arguments, in one register; the rest of it is ignored. */
typedef uint32_t cw_am_args4_t CW_VECTOR(16);
/** The same with such arguments and small payloads, of at most CW_AM_SMALL bytes. */
int cw_am_medium4(int pe, uint32_t head, const void *src, size_t nbytes, cw_am_args4_t args);
int cw_am_long4(int pe, uint32_t head, const void *src, size_t nbytes, uint64_t offset,
                cw_am_args4_t args);

/** Replies, from the handler of a request, at most one. The same rules; flags: CW_AM_RAW,
 *  CW_AM_ASYNC. */
void cw_am_reply_short(cw_am_msg_t *token, uint32_t head, const uint32_t *args);
void cw_am_reply_medium(cw_am_msg_t *token, uint32_t head, const uint32_t *args, const void *src,
                        size_t nbytes);
void cw_am_reply_long(cw_am_msg_t *token, uint32_t head, const uint32_t *args, const void *src,
                      size_t nbytes, void *dest, unsigned flags);

/** Does this thread run a handler now? Then the message, else NULL. */
cw_am_msg_t *cw_am_running(void);

// ---------------------------------------------------------------- polling
/** Where the next message of a kind appears: when *turn is `full` it is there. Threads: see
 *  cw_am_poll. */
typedef struct cw_am_gate {
    const _Atomic uint32_t *_Atomic turn;
    _Atomic uint32_t full;
} cw_am_gate_t;

typedef struct cw_am_gates {
    cw_am_gate_t request, reply;
    // Idle polls until a full one. Threads that poll at a time may both take the last one: then it
    // is below 0.
    _Atomic int32_t patience;
} cw_am_gates_t;
extern cw_am_gates_t cw_am_gates CW_HIDDEN;

static CW_ALWAYS_INLINE bool cw_am_gate_is_open(const cw_am_gate_t *gate)
{
    const _Atomic uint32_t *turn = atomic_load_explicit(&gate->turn, memory_order_relaxed);
    uint32_t now = atomic_load_explicit(turn, memory_order_relaxed);
#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__)  // an atomic load is one instruction more
    bool open;
    __asm__ volatile("cmp %2, %1" : "=@cce"(open) : "r"(now), "m"(gate->full));
    return open;
#else
    return now == atomic_load_explicit(&gate->full, memory_order_relaxed);
#endif
}

/** Runs handlers of messages that have arrived; after many idle polls makes progress for others.
 *  How many handlers it ran. */
int cw_am_poll_full(void);

/**
 * Runs the handlers of messages that have arrived, a bounded number. With several threads the gates
 * may be read while another thread advances them: then this poll misses a message, which the next
 * one sees, or polls fully for none.
 * To wait for what a handler does:
 *     cw_wait_t w = CW_WAIT_INIT("gasnet_wait_syncnb");
 *     while (!atomic_load_explicit(&done, memory_order_acquire))
 *         cw_wait_round(&w);                       // polls, and sleeps when nothing arrives
 *     cw_wait_done(&w);
 */
static CW_ALWAYS_INLINE void cw_am_poll(void)
{
    const _Atomic uint32_t *reply =
        atomic_load_explicit(&cw_am_gates.reply.turn, memory_order_relaxed);
    const _Atomic uint32_t *request =
        atomic_load_explicit(&cw_am_gates.request.turn, memory_order_relaxed);
    int32_t left = atomic_load_explicit(&cw_am_gates.patience, memory_order_relaxed) - 1;
    atomic_store_explicit(&cw_am_gates.patience, left, memory_order_relaxed);
    if (CW_UNLIKELY(atomic_load_explicit(reply, memory_order_relaxed) ==
                        atomic_load_explicit(&cw_am_gates.reply.full, memory_order_relaxed) ||
                    atomic_load_explicit(request, memory_order_relaxed) ==
                        atomic_load_explicit(&cw_am_gates.request.full, memory_order_relaxed) ||
                    left <= 0))
        cw_am_poll_full();
}

#endif
