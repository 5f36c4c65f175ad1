// SPDX-License-Identifier: BSD-3-Clause
//
// State of this process, for the files of core/am; inbox.h has what other processes see.
#ifndef CW_CORE_AM_PRIVATE_H
#define CW_CORE_AM_PRIVATE_H

#include <pthread.h>
#include <stdnoreturn.h>

#include "base/lock.h"
#include "core/am/inbox.h"
#include "core/path/bundle.h"
#include "core/progress/hooks.h"
#include "core/rma/context.h"

/** One of my rings; poll_lock guards it among several threads. */
typedef struct cw_am_ring {
    cw_am_cell_t *cells;
    const _Atomic uint64_t *tail;
    cw_am_gate_t *gate;
    unsigned cells_log;
    uint32_t ahead;  // cells behind the head that were taken out of turn
    uint64_t head;
} cw_am_ring_t;

typedef struct cw_am {
    uint32_t nfree;       // of `free`; 0, no fast path: not open, in a handler, several threads
    uint32_t low;         // fast paths need more free tokens: then no node is at its limit
    cw_am_inbox_t *mine;  // at its symmetric address
    _Atomic uintptr_t *near;         // [npes] inboxes that fast paths may use; 0: not, or not yet
    uint64_t heap_offset;            // of the symmetric heap in a slice,
    uintptr_t heap_distance;         // and from the inbox
    uint32_t free[CW_AM_TOKENS];     // numbers of tokens
    cw_am_from_t from[CW_AM_TOKENS];  // this PE with each token
    int32_t pe_of[CW_AM_TOKENS];     // the request's target; -1: free
    bool collected[CW_AM_TOKENS];    // of the request: CW_AM_C_COLLECTED
    bool flood;                      // short requests to other nodes are collected
    int npes;                        // 0 until opened
    int pe;                          // as in cw_world, a load nearer
    bool locked;                     // several threads
    bool shared;                     // and messages are open
    uint32_t credits;                // requests under way to a node
    _Atomic uint32_t notify_room;    // limit of notifications under way on a connection; 0: none
    uint32_t nfree_shut;             // nfree before messages were closed
    uint32_t nfree_locked;           // of `free`, with several threads
    cw_am_ring_t request, reply;
    pthread_mutex_t poll_lock;  // both locks with several threads only
    cwu_lock_t credit_lock;     // guards nfree_locked, free, from, pe_of
    const cw_am_names_t *names[CW_AM_CLIENTS];
    uint32_t opened[CW_AM_CLIENTS];
    uint32_t idle;                  // full polls in a row that found nothing
    _Atomic bool reply_here;        // the last reply of another node was a notification
    _Atomic uint32_t kept_replies;  // notifications that found no room yet
    _Atomic uint64_t notified;      // notifications, since messages were opened
} cw_am_t;
extern cw_am_t cw_am CW_HIDDEN;
/** NULL outside of handlers. */
extern _Thread_local cw_am_msg_t *cw_am_in_handler CW_HIDDEN CW_INITIAL_EXEC;

static inline bool cw_am_is_on(void)
{
    return cw_am.npes != 0;
}
/** Before the network opens, in all processes of several nodes: a server handles messages though
 *  its own PE has none. */
void cw_am_init(void);
void cw_am_fini(void);
void cw_am_poll_open(void);
void cw_am_poll_fini(void);
/** For waits: runs handlers, returns their number; 0 in a handler. full: also behind an unfinished
 *  message, which takes a cache line from senders. */
int cw_am_poll_waiting(bool full);

/** The client's name of the function. */
const char *cw_am_name(uint32_t head, bool reply, cw_am_kind_t kind);
/** Calls its handler. */
void cw_am_run(cw_am_msg_t *msg);
/** Copies a raw long where its client allows it. */
void cw_am_place_raw(const cw_am_msg_t *msg, void *dest, const void *src);

// ---------------------------------------------------------------- credits (credit.c)
static CW_ALWAYS_INLINE cw_am_from_t cw_am_credit_give(uint32_t i, int pe)
{
    cw_am.pe_of[i] = pe;
    return cw_am.from[i];
}

/** Is a token free, without lock or acknowledgements? */
static CW_ALWAYS_INLINE bool cw_am_credit_is_plain(void)
{
    return CW_LIKELY(cw_am.nfree > cw_am.low);
}

/** Takes it. */
static CW_ALWAYS_INLINE cw_am_from_t cw_am_credit_take_plain(int pe)
{
    uint32_t nfree = --cw_am.nfree;
    return cw_am_credit_give(cw_am.free[nfree], pe);
}

/** A token, or -1: no credit. */
int64_t cw_am_credit_take(int pe, bool collected);
/** Limit of collected requests under way to a node. */
uint32_t cw_am_credit_collected(void);
/** Is a short request to another node of a flood? Only if cw_am_may_flood. */
bool cw_am_credit_flood(void);
/** A request is over; false: unknown. */
bool cw_am_credit_return(uint32_t token);
static inline bool cw_am_may_flood(void)
{
    return cw_bundles_take(&cw_bundles.atomics) && !cw_am.locked && !cw_am_in_handler;
}
/** Is a request under way, acknowledgements aside? */
static inline bool cw_am_credit_out(void)
{
    const uint32_t *nfree = cw_am.locked ? &cw_am.nfree_locked : &cw_am.nfree;
    return __atomic_load_n(nfree, __ATOMIC_RELAXED) < CW_AM_TOKENS;
}
/** Progress hook: are replies expected over this PE's own connections? */
cw_awaits_t cw_am_awaits_replies(bool full);
/** Is a request to that node under way? For the transport. */
bool cw_am_due(void *arg, int node);
/** Frees all tokens. */
void cw_am_credit_open(void);

// -------------------------------------------------------------- the way to other nodes (send.c)
/** To the server of the PE's node, without a reply. */
void cw_am_to_node_of(int pe, cwt_header_t *msg, size_t nbytes);
/** Ends the job. */
noreturn void cw_am_lost(int rc, const char *name, int pe) CW_COLD;
/** A short request in all cases. */
int cw_am_short_general(int pe, uint32_t head, const uint32_t *args, unsigned flags);
/** As above with a token, after finding no free cell. */
int cw_am_short_resume(int pe, uint32_t head, const uint32_t *args, uint32_t token);

// ---------------------------------------- replies over the connection of their request (back.c)
struct cw_req_am;
/** Registers the hooks by which this PE takes such replies. */
void cw_am_back_init(void);
/** False: the reply must go as requests do. */
bool cw_am_reply_back(const cw_am_msg_t *msg, cw_am_kind_t kind, uint32_t head,
                      const uint32_t *args, const void *src, size_t nbytes);
/** The hook `notified`: one has arrived. */
void cw_am_notified(void *arg, int node, const void *bytes, size_t nbytes);
/** Delivers what found no room before. */
void cw_am_back_flush(void);
void cw_am_back_fini(void);

// ---------------------------------------------------------------- in the node server (server.c)
/** Registers the handlers of messages. */
void cw_am_server_init(void);
/** Into the target's inbox; false: no room. Ignores req->args. */
bool cw_am_deliver(const struct cw_req_am *req, const uint32_t *args, const void *payload);
void cw_am_server_fini(void);

#endif
