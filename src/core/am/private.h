// SPDX-License-Identifier: BSD-3-Clause
//
// What the files of core/am share: the state of this process. What other processes see is in
// inbox.h.
//
//   am.c      clients, handlers, open and close
//   short.c   fast paths of short requests
//   loaded.c  fast paths of medium and long requests within the node (fast.h: of both)
//   send.c    requests and replies
//   credit.c  tokens, which are the room of replies, and credits
//   poll.c    messages that have arrived; acknowledgements
//   server.c  in the node server: from the wire to the inbox
//   back.c    replies over the connection of their request
#ifndef CW_CORE_AM_PRIVATE_H
#define CW_CORE_AM_PRIVATE_H

#include <pthread.h>
#include <stdnoreturn.h>

#include "base/lock.h"
#include "core/am/inbox.h"
#include "core/progress/hooks.h"
#include "core/rma/bundle.h"
#include "core/rma/context.h"

/** One of my rings as its consumer sees it. Guarded by cw_am.poll_lock when several threads
 *  poll. */
typedef struct cw_am_ring {
    cw_am_cell_t *cells;
    const _Atomic uint64_t *tail;
    cw_am_gate_t *gate;
    unsigned cells_log;
    uint32_t ahead;  // cells behind the head that were taken out of turn
    uint64_t head;
} cw_am_ring_t;

typedef struct cw_am {
    uint32_t nfree;       // of `free`; 0 where requests may not take the fast path: not open, in a
                          // handler, several threads
    uint32_t low;         // with more free tokens than this a request may take the fast path: no
                          // node can be at its limit
    cw_am_inbox_t *mine;  // at its symmetric address
    _Atomic uintptr_t *near;         // [npes] its inbox, if it is another PE of this node with
                                      // which fast paths may deal; else, or not yet, 0
    uint64_t heap_offset;            // of the symmetric heap in a slice,
    uintptr_t heap_distance;         // and from the inbox
    uint32_t free[CW_AM_TOKENS];     // numbers of tokens
    cw_am_from_t from[CW_AM_TOKENS];  // this PE with each of them
    int32_t pe_of[CW_AM_TOKENS];     // target of the request, or -1: free
    bool collected[CW_AM_TOKENS];    // of a request: CW_AM_C_COLLECTED
    bool flood;                      // short requests to other nodes are collected
    int npes;                        // 0 until opened: then no PE exists
    int pe;                          // as in cw_world, a load nearer
    bool locked;                     // several threads
    bool shared;                     // and messages are open
    uint32_t credits;                // requests under way to one node
    _Atomic uint32_t notify_room;    // notifications that may be under way on a connection of this
                                      // PE; 0: none
    uint32_t nfree_shut;             // what nfree was before messages were closed
    uint32_t nfree_locked;           // of `free`, when several threads may come
    cw_am_ring_t request, reply;
    pthread_mutex_t poll_lock;  // both used with several threads
    cwu_lock_t credit_lock;     // guards tokens: nfree_locked, free, from, pe_of
    const cw_am_names_t *names[CW_AM_CLIENTS];
    uint32_t opened[CW_AM_CLIENTS];
    uint32_t idle;                  // full polls in a row that found nothing
    _Atomic bool reply_here;        // the last reply of another node came over the connection of
                                    // its request
    _Atomic uint32_t kept_replies;  // such replies that found no room in the inbox yet
    _Atomic uint64_t notified;      // such replies, since messages were opened
} cw_am_t;
extern cw_am_t cw_am CW_HIDDEN;
/** The message whose handler this thread runs. */
extern _Thread_local cw_am_msg_t *cw_am_in_handler CW_HIDDEN CW_INITIAL_EXEC;

/** Are messages open in this PE? */
static inline bool cw_am_is_on(void)
{
    return cw_am.npes != 0;
}
/** In every process of a job of several nodes, before its network is opened: a node server serves
 *  PEs with messages while its own PE has none. */
void cw_am_init(void);
/** At finalize. */
void cw_am_fini(void);
void cw_am_poll_open(void);
void cw_am_poll_fini(void);
/** For waits: runs the handlers of messages that have arrived; how many. 0 inside a handler. full:
 *  also messages behind an unfinished one, which takes the cache line of the ring's tail away from
 *  the senders. */
int cw_am_poll_waiting(bool full);

/** The client's name of a function. */
const char *cw_am_name(uint32_t head, bool reply, cw_am_kind_t kind);
/** Calls the handler. */
void cw_am_run(cw_am_msg_t *msg);
/** Copies the bytes of a raw long, if its client takes them there. */
void cw_am_place_raw(const cw_am_msg_t *msg, void *dest, const void *src);

// ---------------------------------------------------------------- credits (credit.c)
/** Gives token i to a request. */
static CW_ALWAYS_INLINE cw_am_from_t cw_am_credit_give(uint32_t i, int pe)
{
    cw_am.pe_of[i] = pe;
    return cw_am.from[i];
}

/** Is a token free without a lock, and without taking in acknowledgements? */
static CW_ALWAYS_INLINE bool cw_am_credit_is_plain(void)
{
    return CW_LIKELY(cw_am.nfree > cw_am.low);
}

/** That token. */
static CW_ALWAYS_INLINE cw_am_from_t cw_am_credit_take_plain(int pe)
{
    uint32_t nfree = --cw_am.nfree;
    return cw_am_credit_give(cw_am.free[nfree], pe);
}

/** A token for a request to that PE, or -1: no credit. collected: CW_AM_C_COLLECTED. */
int64_t cw_am_credit_take(int pe, bool collected);
/** So many collected requests of a PE may be under way to one node. */
uint32_t cw_am_credit_collected(void);
/** A short request leaves the node: is it one of a flood? Only where cw_am_may_flood. */
bool cw_am_credit_flood(void);
/** Its request is over; false: there is no such request. */
bool cw_am_credit_return(uint32_t token);
static inline bool cw_am_may_flood(void)
{
    return cw_bundles_take(&cw_bundles.atomics) && !cw_am.locked && !cw_am_in_handler;
}
/** Is any under way, as far as this PE knows without taking in acknowledgements? */
static inline bool cw_am_credit_out(void)
{
    const uint32_t *nfree = cw_am.locked ? &cw_am.nfree_locked : &cw_am.nfree;
    return __atomic_load_n(nfree, __ATOMIC_RELAXED) < CW_AM_TOKENS;
}
/** Are replies expected over this PE's own connections? Progress hook. */
cw_awaits_t cw_am_awaits_replies(bool full);
/** The same for requests to PEs of one node; the transport's config.due. */
bool cw_am_due(void *arg, int node);
/** All tokens are free. */
void cw_am_credit_open(void);

// -------------------------------------------------------------- the way to other nodes (send.c)
/** Sends a message without a reply to the server of a PE's node. */
void cw_am_to_node_of(int pe, cwt_header_t *msg, size_t nbytes);
/** A node cannot be reached: ends the job. */
noreturn void cw_am_lost(int rc, const char *name, int pe) CW_COLD;
/** A short request in all cases. */
int cw_am_short_general(int pe, uint32_t head, const uint32_t *args, unsigned flags);
/** The rest of a short one, for a caller that has a token and found no free cell. */
int cw_am_short_resume(int pe, uint32_t head, const uint32_t *args, uint32_t token);

// ---------------------------------------- replies over the connection of their request (back.c)
struct cw_req_am;
/** Registers with the ports that this PE takes such replies. */
void cw_am_back_init(void);
/** Tries to send the reply so. False: it must go as requests do. */
bool cw_am_reply_back(const cw_am_msg_t *msg, cw_am_kind_t kind, uint32_t head,
                      const uint32_t *args, const void *src, size_t nbytes);
/** One has arrived: the hook `notified`. */
void cw_am_notified(void *arg, int node, const void *bytes, size_t nbytes);
/** Tries again to deliver replies that found no room. */
void cw_am_back_flush(void);
void cw_am_back_fini(void);

// ---------------------------------------------------------------- in the node server (server.c)
/** Registers with the node server how it executes messages. */
void cw_am_server_init(void);
/** Fills a cell of the target's inbox; false: no room. req without its arguments. */
bool cw_am_deliver(const struct cw_req_am *req, const uint32_t *args, const void *payload);
/** Frees messages that found no room. */
void cw_am_server_fini(void);

#endif
