// SPDX-License-Identifier: BSD-3-Clause
//
// The contract of every transport: it moves bytes between a PE and another *node*.
//
// Two halves that never share a lock. The SERVER half lives once a node, in the process of the
// node's lowest PE: it listens, exposes the node object, receives requests and sends replies. The
// CLIENT half lives in every PE that talks to another node: one client per communication context,
// one connection per node touched.
//
// Addresses: everything remote is named by its OFFSET in the target's node object
// (core/mem/layout.h). Whether the provider wants offsets or virtual addresses, one key or many, is
// the transport's own business.
//
// Order and completion, which every transport must give (by what the provider promises, or by
// draining):
//   - Requests to one node execute in the order they were sent, after all puts sent before them to
//     that node.
//   - quiet: everything put or requested on this client before it is done and visible in the memory
//     of the targets, and every nbi get has landed. *Remotely* done: not "handed to the socket".
//   - fence: everything sent before it to a node takes effect there before anything sent to that
//     node after it.
// Threads: a server, and a client without config.thread_multiple, are used by one thread at a time
// (core serialises). A client with it takes put, get, request, message, wait, amo, quiet, fence,
// progress, look and the injects of its records from several threads at once, and no call holds up
// the others while it waits, but quiet and fence those that come after them; connect and target
// come from one thread at a time. Different objects are independent. Blocking: connect, put
// (BLOCKING), get, quiet, fence, request and message may wait; while they do they call
// config.idle() each round, and block in the end (provider's wait object), never spin for ever.
// Errors: 0 or CW_E…; the transport reports what it saw (node, host, provider's reason, remedy)
// before it returns.
#ifndef CW_TRANSPORT_TRANSPORT_H
#define CW_TRANSPORT_TRANSPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

typedef struct cwt_client cwt_client_t;
typedef struct cwt_server cwt_server_t;
typedef struct cwt_conn cwt_conn_t;
typedef struct cwt_from cwt_from_t;  // who sent a request; valid only inside the handler

#define CWT_SECRET_BYTES 16
#define CWT_ADDRESS_MAX 128   // bytes of a published node address
#define CWT_MESSAGE_MAX 4096  // bytes of a request or reply, header included

/**
 * One record per (context, touched PE): all that a scalar put needs, one cache line. The API's
 * inlined put calls
 *     inject(ep, &value, size, fabric_addr, (uintptr_t)dest + base, key)
 * straight, and then stores a non-zero `last`: in this order, so that whoever reads and clears
 * `last` and then flushes has the put before the flush. A provider whose demands do not allow that
 * (several keys, no completion promise, locks) gets a shim of the transport's own with the same
 * signature, ep = the target itself. Up to ops->inject_most() bytes may go this way. A non-zero
 * return means "not taken": the caller goes through ops->put, which waits and reports.
 */
typedef struct cwt_target {
    ssize_t (*inject)(void *ep, const void *buf, size_t nbytes, uint64_t fabric_addr, uint64_t addr,
                      uint64_t key);
    void *ep;
    uint64_t fabric_addr;
    uint64_t base;  // symmetric address here -> what the provider wants as remote address
    uint64_t key;
    uint64_t last;           // atomic; non-zero: something was injected since the last quiet
    cwt_conn_t *conn;
    uint64_t offset;  // symmetric address here -> offset in the target's node object
} cwt_target_t;
_Static_assert(sizeof(cwt_target_t) == 64, "one cache line");

/**
 * What every cwt_conn_t begins with: all that a short message without a reply needs. While nbytes
 * <= most, !down and (int32_t)(stop - sent) > 0, its sender may fill in header.token and reply_id =
 * id, call
 *     inject(ep, msg, nbytes, fabric_addr)
 * and count: sent++, messages++. Else, or when inject gives anything but 0 (then nothing is
 * counted), ops->message.
 */
typedef struct cwt_line {
    ssize_t (*inject)(void *ep, const void *buf, size_t nbytes, uint64_t fabric_addr);
    void *ep;
    uint64_t fabric_addr;
    uint64_t token, id;
    uint64_t messages;  // sent this way
    uint32_t sent;      // requests sent on the connection
    uint32_t stop;
    uint32_t most;  // bytes; 0: never this way
    bool down;
} cwt_line_t;

/** The part of a node object that a slot uses; holes between them must not be pinned. */
typedef struct cwt_layout {
    uint64_t control_nbytes;  // control area at offset 0
    uint64_t slice_offset;    // offset of slot 0's slice
    uint64_t slice_stride;    // from one slot's slice to the next
    uint64_t data_nbytes;     // static data: [0, data_nbytes) of a slice
    uint64_t heap_offset;     // symmetric heap: [heap_offset, heap_offset + heap_nbytes) of a slice
    uint64_t heap_nbytes;
    uint32_t nslots;
    uint32_t pad;
} cwt_layout_t;

/** First 24 bytes of every request. `reply_id` and `token` belong to the transport, the rest to
 *  core. */
typedef struct cwt_header {
    uint64_t token;     // proof of the job's secret; a message without it is dropped
    uint64_t reply_id;  // 0: no reply wanted, only executed
    uint16_t op;        // core/rma/request.h, core/am/wire.h
    uint16_t slot;      // sender's or target's slot, as the op defines
    uint32_t nbytes;    // of the whole message, header included
} cwt_header_t;
_Static_assert(sizeof(cwt_header_t) == 24, "wire format");

/** A reply being waited for; the caller's memory, which must live until done. `done` is set before
 *  `arrived` is called, and the transport does not touch the reply after that call: arrived() may
 *  free it. */
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
    void (*idle)(void *arg);  // called each round of a waiting loop: polls the server if this
                              // process hosts it
    void *idle_arg;
    const char *(*node_name)(int node);  // for messages: "node 3 (host abc)"
    /** Takes what a node's server tells (ops->server_tell); up to `tells` of them may be under way
     *  on a connection. 0: none may. Called by whatever makes progress, so it neither waits nor
     *  calls the transport. */
    void (*told)(void *arg, int node, const void *bytes, size_t nbytes);
    /** Does anybody wait for what a node may still tell? Then the end of its connection is a
     *  loss. */
    bool (*due)(void *arg, int node);
    void *told_arg;
    uint32_t tells;
} cwt_client_config_t;

typedef struct cwt_server_config {
    int pe, npes, node;
    uint8_t secret[CWT_SECRET_BYTES];
    cwt_layout_t layout;
    void *base;  // the node object as mapped in this process, offset 0
    bool one_machine;
    /** Executes one request that passed size and token checks. Called from server_progress only.
     *  May call reply(). */
    void (*handler)(void *arg, cwt_from_t *from, const cwt_header_t *msg, size_t nbytes);
    void *handler_arg;
    /** Do PEs of the node wait, for clients perhaps? Then one whose host has gone silent is a loss.
     *  NULL: never. */
    bool (*awaited)(void);
} cwt_server_config_t;

typedef struct cwt_stats {
    // connections: nodes touched; reconnects: of these, opened again after they were closed to make
    // room
    uint64_t connections, endpoints, connect_ns, injects, puts, gets, requests, replies, flushes,
        refused, reconnects;
} cwt_stats_t;

typedef struct cwt_ops {
    const char *name;

    /** In the program's thread, before a helper thread calls load(): keeps what the program may
     *  change meanwhile (its environment), and sees to what it may do meanwhile (fork). A few
     *  microseconds. */
    void (*expect_load)(void);
    /** Loads libraries and chooses the provider. Costly (tens of ms): core calls it on a helper
     *  thread or at the first off-node operation. Idempotent, thread-safe. */
    int (*load)(bool one_machine);
    /** Should a process open one client only, because a second one would fail or starve? Any
     *  thread, also before load(): then by what the settings name. Never blocks for longer than
     *  load() does. */
    bool (*one_client)(void);
    /** Bytes that the injects of target records take: 8 at least. After load(). */
    size_t (*inject_most)(void);

    // --- server half ---
    int (*server_open)(const cwt_server_config_t *config, cwt_server_t **server_p);
    /** The blob to publish: provider, endpoint address, all a client needs to connect. */
    int (*server_address)(cwt_server_t *server, void *blob, size_t *nbytes_p);
    /** Sets the job's secret when it was not known yet at open. */
    void (*server_secret)(cwt_server_t *server, const uint8_t secret[CWT_SECRET_BYTES]);
    /** One round of progress: RMA served, connections accepted, requests executed. Returns events
     *  handled (0: idle), or an error, reported: a client was lost that PEs may wait for
     *  (config.awaited). */
    int (*server_progress)(cwt_server_t *server);
    /** Under the lock that server_progress is called under, after it returned 0: false if a sleep
     *  could miss something. */
    bool (*server_may_block)(cwt_server_t *server);
    /** Blocks until traffic, `server_wake`, or the timeout. Only after server_may_block; no lock is
     *  needed. */
    int (*server_block)(cwt_server_t *server, uint64_t timeout_ns);
    /** Ends a server_block in another thread. */
    void (*server_wake)(cwt_server_t *server);
    /** Answers the request being handled (its reply_id must not be 0); queued inside if the wire is
     *  busy. */
    int (*server_reply)(cwt_from_t *from, const void *payload, size_t nbytes);
    /** The client that sent the request being handled, by a name that may be kept; 0: it cannot be
     *  told anything. */
    uint64_t (*server_origin)(const cwt_from_t *from);
    /** Sends [head | payload], CWT_MESSAGE_MAX bytes at most, to that client's config.told, on the
     *  connection that its request came on. CW_EAGAIN: not now, or never again; nothing was sent.
     *  Never waits. From one thread at a time, as progress. */
    int (*server_tell)(cwt_server_t *server, uint64_t origin, const void *head, size_t head_nbytes,
                       const void *payload, size_t payload_nbytes);
    void (*server_stats)(const cwt_server_t *server, cwt_stats_t *stats_p);
    void (*server_close)(cwt_server_t *server);

    // --- client half ---
    int (*open)(const cwt_client_config_t *config, cwt_client_t **client_p);
    /** Connects to a node by the blob it published; returns with RMA possible at once. */
    int (*connect)(cwt_client_t *client, int node, const void *blob, size_t nbytes,
                   cwt_conn_t **conn_p);
    /** Fills the record of one slot of that node; slice_delta is (offset of its slice) - (local
     *  slice address). The record stays known to the client until close: for its dirty marks, and
     *  because the transport fills it in anew when the connection changes (it may close one to make
     *  room, and opens it again at the next operation). */
    int (*target)(cwt_conn_t *conn, uint32_t slot, uint64_t slice_delta, cwt_target_t *target);
    /** Writes [src, src+nbytes) to offset. nbi: src stays in use until quiet; else reusable on
     *  return. */
    int (*put)(cwt_conn_t *conn, uint64_t offset, const void *src, size_t nbytes, bool nbi);
    /** Returns when the bytes are in the target's memory; operations before it may still be under
     *  way. */
    int (*put_complete)(cwt_conn_t *conn, uint64_t offset, const void *src, size_t nbytes);
    int (*get)(cwt_conn_t *conn, uint64_t offset, void *dst, size_t nbytes, bool nbi);
    /** Sends a request (header.token and reply_id are filled in here). reply may be NULL. Waits for
     *  a credit. */
    int (*request)(cwt_conn_t *conn, cwt_header_t *msg, size_t nbytes, cwt_reply_t *reply);
    /** A request without a reply, [msg | payload] in one message; what the connection's line does
     *  not take. */
    int (*message)(cwt_conn_t *conn, cwt_header_t *msg, size_t nbytes, const void *payload,
                   size_t payload_nbytes);
    /** A put and a message behind it, without waiting between the two. nbi as for put. */
    int (*put_message)(cwt_conn_t *conn, uint64_t offset, const void *src, size_t nbytes, bool nbi,
                       cwt_header_t *msg, size_t msg_nbytes);
    /** Waits until reply->done. */
    int (*wait)(cwt_client_t *client, cwt_reply_t *reply);
    /** Native atomics; CW_ENOTSUP from the transport that has none. See core/rma/amo.h for op and
     *  type. */
    int (*amo)(cwt_conn_t *conn, uint64_t offset, int op, int nbytes, uint64_t operand,
               uint64_t compare, uint64_t *old_p);
    int (*quiet)(cwt_client_t *client);
    /** A quiet in two steps, which never wait and make progress. One at a time: begin, until it
     *  gives 1 (0: not now, try again; or an error), then over, until it gives 1: what came before
     *  the begin is done. Operations may go on meanwhile. */
    int (*quiet_begin)(cwt_client_t *client);
    int (*quiet_over)(cwt_client_t *client);
    int (*fence)(cwt_client_t *client);
    /** One round of progress, never blocks. Returns the error of the client, or of a connection
     *  that was lost with operations under way. */
    int (*progress)(cwt_client_t *client);
    /** The least of it: takes in what has come. How many events. */
    int (*look)(cwt_client_t *client);
    void (*stats)(const cwt_client_t *client, cwt_stats_t *stats_p);
    void (*close)(cwt_client_t *client);
} cwt_ops_t;

// ---------------------------------------------------------------- the table (transports.c)
/** For tests: operations are delayed, reordered and overlooked as far as this contract allows
 *  (delay/). */
typedef struct cwt_delay_config {
    const char *spec;  // "SEED:MICROSECONDS"; seed 0: draw one from `job`
    const char *job;   // any text that is the same on all PEs
    const char *log;   // path (the PE's number is appended) of a line per operation, or NULL
    int pe;
} cwt_delay_config_t;

/** The transport of that name; with delay (or NULL), behind the one that delays it. Once a process,
 *  before anything is opened. CW_ENOENT (reported): there is none of that name; CW_EINVAL
 *  (reported): the spec is no spec. */
int cwt_find(const char *name, const cwt_delay_config_t *delay, const cwt_ops_t **ops_p);

#endif
