// SPDX-License-Identifier: BSD-3-Clause
//
// The node server: a thread in the process of the node's lowest PE that accepts connections, lets
// the provider serve, and executes requests on the node object (docs/design/node-server.md). Only
// in jobs of several nodes.
//
// Threads: as each function says. Where no thread of the library may serve (ops->threads_serve),
// waiting PEs of the process make all progress.
#ifndef CW_CORE_SERVER_H
#define CW_CORE_SERVER_H

#include "bootstrap/bootstrap.h"
#include "core/world/world.h"

/** The thread loads the transport, publishes the node's record and starts the bootstrap's fence
 *  (cw_job_published). */
int cw_server_start(cwb_t *boot);
/** One poll for a waiting PE. Returns events; 0 in processes without a server. */
int cw_server_poll(void);
/** Is the handler's request executed in such a poll? */
bool cw_server_is_helped(void);
/** For signal handlers: is this thread in such a poll, and may hold the server's lock? */
bool cw_server_is_here(void);
/** ops->server_notify. False: it was not sent. Never waits. Any thread. */
bool cw_server_notify(uint64_t origin, const void *head, size_t head_nbytes, const void *payload,
                      size_t payload_nbytes);
// ---------------------------------------------------------------- for forwarding (core/forward)
/** The lock of the server's turns, for another thread. */
void cw_server_enter(void);
void cw_server_leave(void);
/** Ends the server's sleep. Any thread. */
void cw_server_wake(void);
/** One round of progress and a short sleep, or a nap: while the server's thread waits in a call of
 *  the transport. */
void cw_server_serve(void);
/** Progresses this client, too (ops->server_attach); NULL: none. In the server's thread, between
 *  rounds, or when it has stopped. */
void cw_server_attach(cwt_client_t *client);

/** Joins the thread and closes the listener, after the last remote PE is done. */
void cw_server_stop(void);
/** Other nodes may talk to the server. */
bool cw_server_serves(void);
bool cw_server_stops(void);
void cw_server_stats(cwt_stats_t *stats_p);

// ---------------------------------------------------------------- what rooms above register
// All before cw_server_start, or before a PE may send such a request. Repeating is harmless.

#define CW_SERVER_OPS 32  // opcodes (cwt_header_t.op) from 0

/** The sender; valid only inside the handler. */
typedef struct cw_from {
    cwt_from_t *client;  // NULL: forwarded
    bool awaits_reply;
    // of a forwarded request: its reply
    void *reply;
    size_t capacity, nbytes;
} cw_from_t;
/** Replies to the request being executed, which awaits it: CW_MESSAGE_MAX less a header at
 *  most. */
void cw_server_reply(cw_from_t *from, const void *payload, size_t nbytes);
/** For handlers' replies of up to CW_MESSAGE_MAX bytes, under the server's lock: the stack may be a
 *  program's small one. */
extern uint64_t cw_server_room[];

/** Executes one request under the server's lock. Only that msg has nbytes, at least a header, has
 *  been checked. False: it is malformed and dropped. */
typedef bool (*cw_server_execute_t)(cw_from_t *from, const cwt_header_t *msg, size_t nbytes);
/** what: the kind, for messages; must live on. Fatal if the opcode has another handler. */
void cw_server_handle(unsigned op, const char *what, cw_server_execute_t execute);
/** Gathers what an unchecked request names into `room` bytes, for a staged get (core/bulk/stage.h).
 *  Returns bytes; 0: it is malformed. */
typedef size_t (*cw_server_gather_t)(const cwt_header_t *msg, size_t nbytes, char *out,
                                     size_t room);
/** op has a handler already. */
void cw_server_handle_gather(unsigned op, cw_server_gather_t gather);
/** Of all requests with CW_REQ_ROUTED. */
void cw_server_handle_routed(cw_server_execute_t execute);

/** Takes a record of kind CW_BATCH_MESSAGE: its offset field, and the nbytes (not 0) after its
 *  word. False: it is malformed. */
typedef bool (*cw_server_message_t)(uint64_t field, const uint64_t *record, size_t nbytes);
void cw_server_handle_messages(cw_server_message_t deliver);

/** Of a room whose requests may leave work; NULL: nothing. */
typedef struct cw_server_hooks {
    int (*flush)(void);   // after each round, under its lock; returns pieces done
    bool (*holds)(void);  // work is left: the server sleeps briefly; under its lock
    void (*between)(void);  // in the server's thread, between rounds, without the lock; may wait,
                            // by cw_server_serve
    void (*fini)(void);     // the server has stopped
} cw_server_hooks_t;
/** Called in the order registered. hooks must live on. */
void cw_server_hook(const cw_server_hooks_t *hooks);

// ---------------------------------------------------------------- requests (core/server/request.c)
/** Called by the transport inside server_progress. */
void cw_request_execute(void *arg, cwt_from_t *client, const cwt_header_t *msg, size_t nbytes);
/** For a request that came otherwise; op may have CW_REQ_ROUTED, nbytes is without a tail. */
void cw_request_run(cw_from_t *from, const cwt_header_t *msg, size_t nbytes);
/** Does [offset, offset+nbytes) of the node object lie in static data or heap of one slot? */
bool cw_request_in_bounds(uint64_t offset, uint64_t nbytes, uint32_t *slot_p);
bool cw_request_accumulate(cw_from_t *from, const cwt_header_t *msg, size_t nbytes);
bool cw_request_cells(cw_from_t *from, const cwt_header_t *msg, size_t nbytes);
bool cw_request_in_cell(cw_from_t *from, const cwt_header_t *msg, size_t nbytes);
bool cw_request_to_cell(cw_from_t *from, const cwt_header_t *msg, size_t nbytes);
/** Copies to out what a request of a gathering kind names; others may write the request meanwhile.
 *  Returns bytes; 0: it is malformed, or room is too small. */
size_t cw_request_gather(const cwt_header_t *msg, size_t nbytes, char *out, size_t room);
/** No cell is lent; before the server starts. */
void cw_server_stage_reset(void);
/** The handler of an opcode below CW_SERVER_OPS; NULL: none. */
cw_server_execute_t cw_request_kind(unsigned op);

#endif
