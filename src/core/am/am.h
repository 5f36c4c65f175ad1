// SPDX-License-Identifier: BSD-3-Clause
//
// Active messages: a request runs a handler in the target PE, a reply one in the requesting PE.
//
// Handlers run inside calls that may poll: cw_am_poll, requests, and every wait of the library.
// They never nest: in a handler nothing polls and no request is sent. A request's handler may send
// one reply, for which there is room, a reply's none. Messages have no order.
//
// Threads: below CW_THREAD_MULTIPLE one at a time; with it any may send and poll, and handlers run
// in parallel. open, close and register: one. Blocking: requests may wait for credits, room or a
// connection, and poll and sleep meanwhile; replies wait for the network at most; polls never.
// Errors: wrong use is fatal for the job, with call, PE and argument.
#ifndef CW_CORE_AM_H
#define CW_CORE_AM_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/port/hot.h"

#define CW_AM_MAX_ARGS 16
#define CW_AM_PACKET ((size_t)3968)  // payload in one message of any transport
#define CW_AM_MOST_MEDIUM ((size_t)65536)    // limit of cw_am_reserve
#define CW_AM_MAX_LONG ((size_t)0x7fffffff)  // of longs other than raw ones
#define CW_AM_SMALL ((size_t)64)             // of cw_am_medium4, cw_am_long4
#define CW_AM_HANDLERS 256

/** A room or front end that uses messages, with a number below CW_AM_CLIENTS that is equal in all
 *  PEs: front ends count up from 0, rooms of core down. Constant, and so is CW_AM_HEAD then. */
typedef unsigned cw_am_client_t;
#define CW_AM_CLIENTS 8u
typedef enum cw_am_kind { CW_AM_SHORT, CW_AM_MEDIUM, CW_AM_LONG } cw_am_kind_t;

/** A handler's first argument (GASNet's "token"), valid in its thread while it runs. payload: of a
 *  medium the library's, 8-byte aligned, and gone then; of a long where it was put. */
typedef struct cw_am_msg {
    int source;     // PE
    uint32_t head;  // CW_AM_HEAD
    bool is_reply, replied;
    bool collected;  // of a flood, so the reply may be collected too
    cw_am_kind_t kind;
    int nargs;
    const uint32_t *args;  // [nargs]
    void *payload;         // of a medium or long
    size_t nbytes;
    uint32_t token;   // for core: whose room the reply takes
    uint64_t origin;  // for core: the connection that the reply may take, or 0
} cw_am_msg_t;

/** Called with its real signature:
 *
 *      short         void h(cw_am_msg_t *token, uint32_t arg0, ...)
 *      medium, long  void h(cw_am_msg_t *token, void *payload, size_t nbytes, uint32_t arg0, ...)
 */
typedef void (*cw_am_handler_t)(void);

/** Names of the client's functions, for messages: [request or reply][kind]. */
typedef struct cw_am_names {
    const char *send[2][3];
    const char *poll;
} cw_am_names_t;

/** Before cw_init: payload of mediums, CW_AM_PACKET to CW_AM_MOST_MEDIUM bytes, equal in all PEs.
 *  setting: its variable, for messages. */
typedef struct cw_am_wish {
    size_t (*nbytes)(void);  // called in cw_init
    const char *setting;
} cw_am_wish_t;
void cw_am_reserve(const cw_am_wish_t *wish);
/** Most payload of a medium or raw long, after cw_init. */
size_t cw_am_max_medium(void);

/** Before cw_init, if possible: messages will be opened. Connections made before it take no replies
 *  (ADR 28). */
void cw_am_expect(void);
/** After cw_init, in every PE with messages, before other calls; counted. names live on. Fatal if
 *  another client has that number. */
void cw_am_open(cw_am_client_t client, const cw_am_names_t *names);
/** After a barrier, before cw_finalize: the client sends no more, and what comes is dropped. */
void cw_am_close(cw_am_client_t client);
/** fn NULL: none. index below CW_AM_HANDLERS. A message without a handler is fatal at its
 *  target. */
void cw_am_register(cw_am_client_t client, int index, cw_am_handler_t fn);
/** NULL: none. */
cw_am_handler_t cw_am_registered(cw_am_client_t client, int index);

/** May nbytes (not 0) of a raw long go to dest? Its handler is next. */
typedef bool (*cw_am_takes_t)(const cw_am_msg_t *msg, const void *dest, size_t nbytes);
/** Allows raw longs of others; what it does not allow is fatal. */
void cw_am_take_raw(cw_am_client_t client, cw_am_takes_t takes);

/** Client, handler and number of arguments in one word. */
#define CW_AM_HEAD(client, handler, nargs) \
    ((uint32_t)(client) << 24 | (uint32_t)(nargs) << 8 | (uint32_t)(uint8_t)(handler))
#define CW_AM_HEAD_HANDLER(head) ((head)&0xffu)
#define CW_AM_HEAD_NARGS(head) ((head) >> 8 & 0x1fu)
#define CW_AM_HEAD_CLIENT(head) ((cw_am_client_t)((head) >> 24))

enum {
    CW_AM_RAW = 1,        // dest of a long: an address in the target process, which copies where
                          // cw_am_take_raw allows it. At most cw_am_max_medium() bytes
    CW_AM_ASYNC = 2,      // src of a long stays in use until the reply's handler, or cw_quiet
    CW_AM_IMMEDIATE = 4,  // CW_EAGAIN, nothing sent, instead of a wait for credits or room
    CW_AM_NO_POLL = 8     // without the poll that precedes requests
};

/** Requests. args: [nargs of head], read before return. src: any memory, in use after return with
 *  CW_AM_ASYNC only; NULL with 0 bytes. dest of a long: my symmetric address (heap or static data),
 *  unless CW_AM_RAW; the handler gets the target's. All of the target's node has the data before
 *  the handler runs. 0, or CW_EAGAIN (CW_AM_IMMEDIATE). [waits] */
int cw_am_request_short(int pe, uint32_t head, const uint32_t *args, unsigned flags);
/** As above without flags, with as many arguments as name and head say. Once messages are open pe
 *  exists: the caller's duty. Always 0. [waits] */
int cw_am_short0(int pe, uint32_t head);
int cw_am_short1(int pe, uint32_t head, uint32_t a0);
int cw_am_short2(int pe, uint32_t head, uint32_t a0, uint32_t a1);
int cw_am_short3(int pe, uint32_t head, uint32_t a0, uint32_t a1, uint32_t a2);
int cw_am_short4(int pe, uint32_t head, uint32_t a0, uint32_t a1, uint32_t a2, uint32_t a3);
int cw_am_request_medium(int pe, uint32_t head, const uint32_t *args, const void *src,
                         size_t nbytes, unsigned flags);
int cw_am_request_long(int pe, uint32_t head, const uint32_t *args, const void *src, size_t nbytes,
                       void *dest, unsigned flags);
/** As above without flags. Once messages are open, pe exists and the payload fits: the caller's
 *  duty. offset: dest in the heap, with areas. Always 0. [waits] */
int cw_am_medium(int pe, uint32_t head, const void *src, size_t nbytes, const uint32_t *args);
int cw_am_long(int pe, uint32_t head, const void *src, size_t nbytes, uint64_t offset,
               const uint32_t *args);

/** Up to four arguments; the rest is ignored. */
typedef uint32_t cw_am_args4_t CW_VECTOR(16);
/** As above with at most CW_AM_SMALL bytes. */
int cw_am_medium4(int pe, uint32_t head, const void *src, size_t nbytes, cw_am_args4_t args);
int cw_am_long4(int pe, uint32_t head, const void *src, size_t nbytes, uint64_t offset,
                cw_am_args4_t args);

/** As above, from a request's handler. flags: CW_AM_RAW, CW_AM_ASYNC. */
void cw_am_reply_short(cw_am_msg_t *token, uint32_t head, const uint32_t *args);
void cw_am_reply_medium(cw_am_msg_t *token, uint32_t head, const uint32_t *args, const void *src,
                        size_t nbytes);
void cw_am_reply_long(cw_am_msg_t *token, uint32_t head, const uint32_t *args, const void *src,
                      size_t nbytes, void *dest, unsigned flags);

/** The message whose handler this thread runs, or NULL. */
cw_am_msg_t *cw_am_running(void);

// ---------------------------------------------------------------- polling
/** The next message is there when *turn is `full`. */
typedef struct cw_am_gate {
    const _Atomic uint32_t *_Atomic turn;
    _Atomic uint32_t full;
} cw_am_gate_t;

typedef struct cw_am_gates {
    cw_am_gate_t request, reply;
    // idle polls until a full one; two threads may bring it below 0
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

/** Runs handlers, returns their number; after many idle polls makes progress for others. */
int cw_am_poll_full(void);

/** Runs handlers of arrived messages, a bounded number. While another thread advances the gates it
 *  may miss a message until the next poll. To wait for what a handler does: cw_wait_round
 *  (core/progress/wait.h). */
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
