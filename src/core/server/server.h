// SPDX-License-Identifier: BSD-3-Clause
//
// The node server: a thread in the process of the node's lowest PE that accepts connections, lets
// the provider serve puts and gets, and executes requests on the node object. Only in jobs of more
// than one node.
//
// It blocks in the provider's wait object when there is no traffic, and naps while a waiting PE of
// its own process polls for it (cw_server_poll). It polls only where a core is to spare, and yields
// between polls. While a PE of the node sleeps, the server compares the sleeper's watched word
// after every round, and wakes the PE when the word has changed.
//
// Where the transport lets no thread of the library serve (ops->threads_serve), the thread makes no
// progress, and waiting PEs of its process make all of it, also beside sleepers.
#ifndef CW_CORE_SERVER_H
#define CW_CORE_SERVER_H

#include "bootstrap/bootstrap.h"
#include "core/world/world.h"

/** Starts the thread; it loads the transport, publishes the node's record, starts the bootstrap
 *  fence and says so (cw_job_published). */
int cw_server_start(cwb_t *boot);
/** One poll on behalf of a waiting PE; a no-op in processes that host no server. How many
 *  events. */
int cw_server_poll(void);
/** For handlers of requests: is the request executed in such a poll? */
bool cw_server_is_helped(void);
/** Notifies a client (ops->server_notify). False: it was not sent. Never waits. Any thread. */
bool cw_server_notify(uint64_t origin, const void *head, size_t head_nbytes, const void *payload,
                      size_t payload_nbytes);
// ---------------------------------------------------------------- for forwarding (core/forward)
/** The lock of the server's turns, for another thread. */
void cw_server_enter(void);
void cw_server_leave(void);
/** Ends the server's sleep. Any thread. */
void cw_server_wake(void);
/** One round of progress and a short sleep, or a nap while another thread makes progress: for the
 *  server's thread, when it waits in a call of the transport. */
void cw_server_serve(void);
/** The server minds this client of its own, too (ops->server_attach); NULL: none. In the server's
 *  thread, between rounds, or when it has stopped. */
void cw_server_attach(cwt_client_t *client);

/** Stops the thread and closes the listener. After the last remote PE is done. */
void cw_server_stop(void);
/** The server is open, and other nodes may talk to it. */
bool cw_server_serves(void);
/** Has cw_server_stop been called? */
bool cw_server_stops(void);
void cw_server_stats(cwt_stats_t *stats_p);

// ---------------------------------------------------------------- what rooms above register
// All before cw_server_start, or before any PE may send such a request; registering the same again
// changes nothing.

#define CW_SERVER_OPS 32  // opcodes of requests (cwt_header_t.op), from 0

/** The sender of a request; valid only inside the handler. */
typedef struct cw_from {
    cwt_from_t *client;  // NULL: the request was forwarded
    bool awaits_reply;
    // of a forwarded request: where its reply goes, and how long it is
    void *reply;
    size_t capacity, nbytes;
} cw_from_t;
/** Replies to the request that is being executed, which awaits it, by CW_MESSAGE_MAX less a header
 *  at most. */
void cw_server_reply(cw_from_t *from, const void *payload, size_t nbytes);
/** Where a handler gathers a reply of up to CW_MESSAGE_MAX bytes, by one request at a time (the
 *  server's lock): not on the stack, which may be that of a program's small thread that waits. */
extern uint64_t cw_server_room[];

/** Executes one request, in the server's progress and under its lock; msg is `nbytes` long, at
 *  least a header, and nothing else in it has been checked. False: it is malformed and was dropped.
 */
typedef bool (*cw_server_execute_t)(cw_from_t *from, const cwt_header_t *msg, size_t nbytes);
/** what: the kind of request, for messages; must live on. Fatal if the opcode has another
 *  handler. */
void cw_server_handle(unsigned op, const char *what, cw_server_execute_t execute);
/** Gathers what a request names, which nothing has been checked of, into `room` bytes, for a staged
 *  get (core/bulk/stage.h). How many bytes; 0: it is malformed. */
typedef size_t (*cw_server_gather_t)(const cwt_header_t *msg, size_t nbytes, char *out,
                                     size_t room);
/** Of a kind of request that has a handler. */
void cw_server_handle_gather(unsigned op, cw_server_gather_t gather);
/** The handler of all requests with CW_REQ_ROUTED. */
void cw_server_handle_routed(cw_server_execute_t execute);

/** Takes a record of kind CW_BATCH_MESSAGE: what stands for the offset, and the nbytes (not 0)
 *  behind the record's word. False: it is malformed. */
typedef bool (*cw_server_message_t)(uint64_t field, const uint64_t *record, size_t nbytes);
void cw_server_handle_messages(cw_server_message_t deliver);

/** A room whose requests may leave work behind. NULL: nothing. */
typedef struct cw_server_hooks {
    int (*flush)(void);   // after each round of progress, under its lock: how many pieces were done
    bool (*holds)(void);  // is any left? Then the server sleeps briefly only; under its lock
    void (*between)(void);  // in the server's thread, between rounds, without the lock; may wait
                            // in calls that mind cw_server_serve
    void (*fini)(void);     // the server has stopped
} cw_server_hooks_t;
/** Rooms are called in the order in which they registered. hooks must live on. */
void cw_server_hook(const cw_server_hooks_t *hooks);

// ---------------------------------------------------------------- requests (core/server/request.c)
/** Executes one request; called by the transport inside server_progress. */
void cw_request_execute(void *arg, cwt_from_t *client, const cwt_header_t *msg, size_t nbytes);
/** The same for one that came another way; its op may have CW_REQ_ROUTED, its size is that without
 *  a tail. */
void cw_request_run(cw_from_t *from, const cwt_header_t *msg, size_t nbytes);
/** Does [offset, offset+nbytes) of the node object lie in one piece (static data or heap) of one
 *  slot? *slot_p: whose. */
bool cw_request_in_bounds(uint64_t offset, uint64_t nbytes, uint32_t *slot_p);
/** Of CW_REQ_ACCUMULATE (core/server/accumulate.c). */
bool cw_request_accumulate(cw_from_t *from, const cwt_header_t *msg, size_t nbytes);
/** Of CW_REQ_CELLS, CW_REQ_IN_CELL and CW_REQ_TO_CELL (core/server/stage.c). */
bool cw_request_cells(cw_from_t *from, const cwt_header_t *msg, size_t nbytes);
bool cw_request_in_cell(cw_from_t *from, const cwt_header_t *msg, size_t nbytes);
bool cw_request_to_cell(cw_from_t *from, const cwt_header_t *msg, size_t nbytes);
/** Copies what a CW_REQ_GET_STRIDED or CW_REQ_GET_PIECES names, of which others may write the
 *  bytes, to out. How many bytes; 0: it is malformed, or there is too little room. */
size_t cw_request_gather(const cwt_header_t *msg, size_t nbytes, char *out, size_t room);
/** No cell is lent; before the server starts. */
void cw_server_stage_reset(void);
/** What executes requests of that opcode, one that this room or core/rma knows. */
cw_server_execute_t cw_request_kind(unsigned op);

#endif
