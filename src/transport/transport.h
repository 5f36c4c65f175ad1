// SPDX-License-Identifier: BSD-3-Clause
//
// The contract of every transport: it moves bytes between a PE and another *node*.
//
// Two halves that never share a lock. The SERVER half lives once a node, in the process of the
// node's lowest PE: it listens, exposes the node object, receives requests and sends replies. The
// CLIENT half lives in every PE that talks to another node: one client per communication context,
// one connection per node touched.
//
// Addresses: remote memory is named by its OFFSET in the target's node object (core/mem/layout.h).
// What the provider takes, offsets or virtual addresses, one key or many, stays in the transport.
//
// Order and completion, which every transport guarantees (by what its provider promises, or by
// draining):
//   - Requests to one node execute in the order in which they were sent, after all puts sent before
//     them to that node.
//   - quiet: all puts and requests issued on this client before it are complete and visible in the
//     memory of the targets, and every nbi get has landed. *Remotely* complete: not "handed to the
//     socket".
//   - fence: all puts and requests issued before it to a node take effect there before any put,
//     get or request issued to that node after it.
// Threads: a server, and a client without config.thread_multiple, are used by one thread at a time
// (core serialises). A client with it takes put, get, request, message, wait, amo, quiet, fence,
// progress, poll and the injects of its records from several threads at once. A call that waits
// does not delay the others, except that quiet and fence delay the calls that come after them;
// connect and target come from one thread at a time. Different objects are independent.
// Blocking: connect, put (not nbi), get, quiet, fence, request and message may wait; meanwhile they
// call config.idle() each round, and finally block in the provider's wait object.
// Errors: 0 or CW_E…, after the transport has reported node, host, provider's reason and remedy.
#ifndef CW_TRANSPORT_TRANSPORT_H
#define CW_TRANSPORT_TRANSPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "transport/records.h"

typedef struct cwt_client cwt_client_t;
typedef struct cwt_server cwt_server_t;
struct sockaddr_storage;
typedef struct cwt_from cwt_from_t;  // sender of a request; valid only inside the handler

#define CWT_SECRET_BYTES 16
#define CWT_ADDRESS_MAX 128   // bytes of a published node address
#define CWT_MESSAGE_MAX 4128  // bytes of a message or reply, and of any request, header included
#define CWT_REQUEST_MAX 16032  // bytes of a request on connections that take long ones

/** The part of a node object that a slot uses; holes between them must not be pinned. */
typedef struct cwt_layout {
    uint64_t control_nbytes;  // control area at offset 0
    uint64_t slice_offset;    // offset of slot 0's slice
    uint64_t slice_stride;    // from one slot's slice to the next
    uint64_t data_nbytes;     // static data: [0, data_nbytes) of a slice
    uint64_t heap_offset;     // symmetric heap: [heap_offset, heap_offset + heap_nbytes) of a slice
    uint64_t heap_nbytes;
    uint32_t nslots;
    uint32_t chunk_shift;  // where registering pins, data and heap are registered by chunks of 1 <<
                           // chunk_shift bytes, at first use; 0: whole
} cwt_layout_t;

/** First 24 bytes of every request. `reply_id` and `token` belong to the transport, the rest to
 *  core. */
typedef struct cwt_header {
    uint64_t token;     // proof of the job's secret, taken once; a message without it is dropped
    uint64_t reply_id;  // 0: no reply wanted, only executed
    uint16_t op;        // core/route/request.h, core/am/wire.h
    uint16_t slot;      // sender's or target's slot, as the op defines
    uint32_t nbytes;    // of the whole message, header included
} cwt_header_t;
_Static_assert(sizeof(cwt_header_t) == 24, "wire format");

/** A reply that is waited for; the caller's memory, which must live until done. `done` is set
 *  before `arrived` is called, and the transport does not touch the reply after that call:
 *  arrived() may free it. */
typedef struct cwt_reply {
    void *buf;          // payload goes here
    size_t capacity;    // a longer payload is a protocol error
    size_t nbytes;      // set on arrival
    volatile int done;  // 0, then 1 (or a negative CW_E…)
    // optional, instead of buf
    void (*arrived)(struct cwt_reply *self, const void *payload, size_t nbytes);
} cwt_reply_t;

typedef struct cwt_client_config {
    int pe, npes, node;
    uint8_t secret[CWT_SECRET_BYTES];
    cwt_layout_t layout;      // the same on every node but for nslots
    bool thread_multiple;     // several threads at once; see above
    bool one_machine;         // bind to loopback
    bool of_server;           // for server_attach: its connections are not evicted nor counted for
                              // CAUSEWAY_MAX_CONNECTIONS, and it can be slept on
    void (*idle)(void *arg);  // called each round of a waiting loop: polls the server if this
                              // process hosts it; of an attached client, sleeps in server_block
    void (*asleep)(void *arg);           // called before such a loop sleeps
    void *idle_arg;                      // of both
    bool (*make_room)(void);             // descriptors run out: closes a spare client; false: none
    const char *(*node_name)(int node);  // for messages: "node 3 (host abc)"
    /** Receives a notification of a node's server (ops->server_notify); at most `notifications` of
     *  them are under way on a connection. 0: none. Called from progress, so it neither waits nor
     *  calls the transport. */
    void (*notified)(void *arg, int node, const void *bytes, size_t nbytes);
    /** Does a caller wait for a notification of that node? Then the end of its connection is a
     *  loss. */
    bool (*due)(void *arg, int node);
    /** May servers have ended in good order? Until then a connection that its server closes is
     *  lost, also with nothing under way. NULL: they may. */
    bool (*leaving)(void);
    /** Does the launcher end all PEs? Then lost connections are not said. NULL: never. */
    bool (*ended)(void);
    /** Have all PEs come to the job's end? Then a connection that is being opened is not needed any
     *  more, and its peer may have ended. NULL: never. */
    bool (*over)(void);
    void *notified_arg;
    uint32_t notifications;
} cwt_client_config_t;

typedef struct cwt_server_config {
    int pe, npes, node;
    uint8_t secret[CWT_SECRET_BYTES];
    cwt_layout_t layout;
    void *base;  // the node object as mapped in this process, offset 0
    bool one_machine;
    /** Executes one request that passed the checks of size and token. Called from server_progress
     *  only. May call ops->server_reply. */
    void (*handler)(void *arg, cwt_from_t *from, const cwt_header_t *msg, size_t nbytes);
    void *handler_arg;
    /** Do PEs of the node wait, possibly for clients? Then a client whose host has gone silent is a
     *  loss. NULL: never. */
    bool (*awaited)(void);
    /** Other nodes want to see the end of this process: ops->life_names. */
    bool watched;
} cwt_server_config_t;

typedef struct cwt_stats {
    // connections: nodes touched; reconnects: of these, opened again after an eviction
    uint64_t connections, endpoints, connect_ns, injects, puts, gets, requests, replies, flushes,
        refused, reconnects;
} cwt_stats_t;

typedef struct cwt_ops {
    const char *name;
    /** In the program's thread, before a helper thread calls load(): loads the libraries (their
     *  constructors read the environment), and prepares for what the program may do during the
     *  rest (setenv, fork). About 1 ms. What fails is reported, and load() returns it. */
    void (*begin_load)(void);
    /** Loads libraries, if they are not, and chooses the provider. Costly (tens of ms): core calls
     *  it on a helper thread or at the first off-node operation. Idempotent, thread-safe. */
    int (*load)(bool one_machine);
    /** Called by all PEs of a job of several nodes, in init, in the program's thread; clients are
     *  opened later, server_open may wait for it in another thread. Collective where all make
     *  together what connects the nodes. base: as in cwt_server_config_t, NULL where this process
     *  hosts no server. */
    int (*join)(const cwt_layout_t *layout, void *base, int pe, int npes);
    /** The counterpart, after all halves are closed. */
    void (*leave)(void);
    /** Must a process open one client only, because a second one would fail or starve? Any thread,
     *  also before load(): then the settings decide. Never blocks for longer than load(). */
    bool (*one_client)(void);
    /** Most bytes that the injects of target records take, at least 8. After load(). */
    size_t (*inject_most)(void);
    /** Must pages have memory before clients reach them? Then the server gives it to those that
     *  have none when they are first used; owners, who should, touch them before. After load(). */
    bool (*needs_memory)(void);
    /** Does a processor execute puts, as it does messages? After load(). */
    bool (*software)(void);
    /** Is a request without a reply that was lost with a connection noticed while its client makes
     *  progress, within seconds? If not, who waits for what comes of one may wait for ever. After
     *  load(). */
    bool (*sees_loss)(void);
    /** Does server_progress work in a thread of the library? If not, it does nothing there, and the
     *  thread that called join() makes all progress. After join(). */
    bool (*threads_serve)(void);

    // --- server half ---
    int (*server_open)(const cwt_server_config_t *config, cwt_server_t **server_p);
    /** The blob to publish: provider, endpoint address, all that a client needs to connect. */
    int (*server_address)(cwt_server_t *server, void *blob, size_t *nbytes_p);
    /** Sets the job's secret if it was not known at open, and exposes the node object: clients are
     *  accepted from then on. */
    int (*server_secret)(cwt_server_t *server, const uint8_t secret[CWT_SECRET_BYTES]);
    /** One round of progress: serves RMA, accepts connections, executes requests. Returns the
     *  number of events handled (0: idle), or an error, reported: a client was lost that PEs may
     *  wait for (config.awaited), or none can connect. */
    int (*server_progress)(cwt_server_t *server);
    /** Under the lock that server_progress is called under, after it returned 0: false if a sleep
     *  could miss something. */
    bool (*server_may_block)(cwt_server_t *server);
    /** Blocks until traffic, `server_wake`, or the timeout. Only after server_may_block; no lock is
     *  needed. Returns 0 when the timeout has passed and the server may block again, 1 when it must
     *  make progress first, or an error. */
    int (*server_block)(cwt_server_t *server, uint64_t timeout_ns);
    /** Ends a server_block in another thread. */
    void (*server_wake)(cwt_server_t *server);
    /** Replies to the request being handled (its reply_id must not be 0). Queues the reply if the
     *  wire is busy. */
    int (*server_reply)(cwt_from_t *from, const void *payload, size_t nbytes);
    /** Names the client that sent the request being handled; the name may be kept. 0: it takes no
     *  notifications. */
    uint64_t (*server_origin)(const cwt_from_t *from);
    /** The PE that sent the request being handled, as the connection has proved it. */
    uint32_t (*server_pe)(const cwt_from_t *from);
    /** From now on server_progress makes the progress of this client too (its events count, its
     *  error is returned), and what comes for it ends a server_block. It was opened with of_server
     *  and thread_multiple. NULL: none; before that client is closed. Under the lock of
     *  server_progress, and while no thread is in server_block. */
    void (*server_attach)(cwt_server_t *server, cwt_client_t *client);
    /** Notifies that client: sends [head | payload], CWT_MESSAGE_MAX bytes at most, to its
     *  config.notified, on the connection of its request. CW_EAGAIN: not now, or never again;
     *  nothing was sent. Never waits. From one thread at a time, as progress. */
    int (*server_notify)(cwt_server_t *server, uint64_t origin, const void *head,
                         size_t head_nbytes, const void *payload, size_t payload_nbytes);
    /** From the blob of a server that is watched, for one address of its host (0 and up): the name
     *  of a socket that listens until its process ends, and accepts nothing, so that connections to
     *  it are the kernel's alone; then, if there is one, that of another socket of the process,
     *  which clients reach. names has room for both. How many: 0, if its end cannot be seen in this
     *  way, or it has no more addresses. Any thread, after load(). */
    int (*life_names)(const void *blob, size_t nbytes, int which, struct sockaddr_storage *names);
    void (*server_stats)(const cwt_server_t *server, cwt_stats_t *stats_p);
    void (*server_close)(cwt_server_t *server);

    // --- client half ---
    int (*open)(const cwt_client_config_t *config, cwt_client_t **client_p);
    /** Connects to a node by the blob that it published; RMA is possible on return. */
    int (*connect)(cwt_client_t *client, int node, const void *blob, size_t nbytes,
                   cwt_conn_t **conn_p);
    /** Fills the record of one slot of that node; slice_delta is (offset of its slice) - (local
     *  slice address). The client keeps the address of the record until close: it reads the dirty
     *  marks, and fills the record again when the connection changes (an evicted connection is
     *  opened again at the next operation). */
    int (*target)(cwt_conn_t *conn, uint32_t slot, uint64_t slice_delta, cwt_target_t *target);
    /** Writes [src, src+nbytes) to offset. nbi: src stays in use until quiet; otherwise it is
     *  reusable on return. These four: CW_ECOUNT, unreported, for more than PTRDIFF_MAX bytes. */
    int (*put)(cwt_conn_t *conn, uint64_t offset, const void *src, size_t nbytes, bool nbi);
    /** Returns when the bytes are in the target's memory; earlier operations may be under way. */
    int (*put_complete)(cwt_conn_t *conn, uint64_t offset, const void *src, size_t nbytes);
    int (*get)(cwt_conn_t *conn, uint64_t offset, void *dst, size_t nbytes, bool nbi);
    /** A get that is waited for by itself: its end sets landed->done, of which wait() knows. */
    int (*get_begin)(cwt_conn_t *c, uint64_t offset, void *dst, size_t nbytes, cwt_reply_t *landed);
    /** Where registering pins memory: the node gives up what no other client uses of [offset,
     *  +nbytes). The contents are dead, and this client has nothing under way there. Waits. */
    int (*release)(cwt_conn_t *conn, uint64_t offset, uint64_t nbytes);
    /** Most bytes of a request on that connection: CWT_MESSAGE_MAX, or up to CWT_REQUEST_MAX. */
    size_t (*request_most)(const cwt_conn_t *conn);
    /** Sends a request (header.token and reply_id are filled in here). reply may be NULL. Waits for
     *  a credit. */
    int (*request)(cwt_conn_t *conn, cwt_header_t *msg, size_t nbytes, cwt_reply_t *reply);
    /** The same, behind which a quiet follows, it seems: its answer may prove all that was sent on
     *  the connection before, so that the quiet need not send anything for that. */
    int (*last_request)(cwt_conn_t *conn, cwt_header_t *msg, size_t nbytes, cwt_reply_t *reply);
    /** A request without a reply, [msg | payload] in one message that inject does not take; up to
     *  request_most bytes. */
    int (*message)(cwt_conn_t *conn, cwt_header_t *msg, size_t nbytes, const void *payload,
                   size_t payload_nbytes);
    /** A message that leaves at once or not at all; never waits, and makes no progress. CW_EAGAIN:
     *  not now (no credit, no room on the wire, another call uses the client, an evicted
     *  connection): nothing was sent or used up. After puts on the connection: not before a quiet,
     *  where the provider promises no order. */
    int (*try_message)(cwt_conn_t *conn, cwt_header_t *msg, size_t nbytes, const void *payload,
                       size_t payload_nbytes);
    /** A put and a message behind it, without waiting between the two. nbi as for put. */
    int (*put_message)(cwt_conn_t *conn, uint64_t offset, const void *src, size_t nbytes, bool nbi,
                       cwt_header_t *msg, size_t msg_nbytes);
    /** Until reply->done. */
    int (*wait)(cwt_client_t *client, cwt_reply_t *reply);
    /** Native atomics; CW_ENOTSUP if the transport has none, now and ever. See core/rma/amo.h for
     *  op and type. */
    int (*amo)(cwt_conn_t *conn, uint64_t offset, int op, int nbytes, uint64_t operand,
               uint64_t compare, uint64_t *old_p);
    int (*quiet)(cwt_client_t *client);
    /** A quiet in two steps, which make progress and never wait. One at a time: begin, until it
     *  returns 1 (0: not now, try again; or an error), then test, until it returns 1: all
     *  operations before the begin are complete. Operations may be issued meanwhile. */
    int (*quiet_begin)(cwt_client_t *client);
    int (*quiet_test)(cwt_client_t *client);
    int (*fence)(cwt_client_t *client);
    /** One round of progress, never blocks. Error: the client's, or of a lost connection in use. */
    int (*progress)(cwt_client_t *client);
    /** Polls the completion queue once; number of events. */
    int (*poll)(cwt_client_t *client);
    void (*stats)(const cwt_client_t *client, cwt_stats_t *stats_p);
    void (*close)(cwt_client_t *client);
} cwt_ops_t;

#endif
