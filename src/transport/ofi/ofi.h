// SPDX-License-Identifier: BSD-3-Clause
//
// Internals of the libfabric transport: what its files share. Nobody outside this directory
// includes it.
//
// Objects: a lane is one fabric + domain + completion queue; the server has one, every client has
// one, so neither half ever locks the other. A peer (server side) and a conn (client side) are the
// two ends of one connection; in MSG mode each has an endpoint of its own, in RDM mode they share
// the lane's and differ by address.
// Threads: a client and its conns are one thread's at a time, a server too. A client with
// thread_multiple takes calls from any thread: client->lock guards everything it owns, and is given
// up while a call waits (wait.c), so that the others go on. Its lane is opened for FI_THREAD_SAFE
// if the provider grants that; then the plain inject of its target records needs no lock of ours.
// See "several threads" below.
#ifndef CW_TRANSPORT_OFI_H
#define CW_TRANSPORT_OFI_H

#include <netinet/in.h>
#include <pthread.h>
#include <stdatomic.h>
#include <rdma/fabric.h>
#include <rdma/fi_atomic.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_eq.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_rma.h>
#include <sys/socket.h>

#include "base/clock.h"
#include "base/env.h"
#include "base/error.h"
#include "base/lock.h"
#include "transport/transport.h"

#define OFI_API FI_VERSION(1, 17)
#define OFI_CREDITS 32u                         // requests under way per connection
// so many executed requests are acknowledged when nothing else is to do
#define OFI_ACK_LAZY (OFI_CREDITS / 2)
#define OFI_ACK_NOW (OFI_CREDITS / 4 * 3)       // and so many at once
#define OFI_SLOT_NBYTES (CWT_MESSAGE_MAX + 64)  // one message buffer
#define OFI_BOUNCE_NBYTES 16384u                // puts up to this size are copied and forgotten
#define OFI_BOUNCE_NBI_NBYTES 256u              // the same for those that need not be copied
#define OFI_BOUNCE_MAX 128u                     // bounce buffers per client
#define OFI_INJECT_MAX 8192u                    // injected puts between two flushes
#define OFI_OPS_MAX 1024u                       // operations in flight per client
#define OFI_FRAGMENT ((size_t)16 << 20)         // larger transfers go in pieces of this size
#define OFI_FRAGMENTS 4u                        // pieces in flight of one transfer
// local buffers from here on are registered, not copied
#define OFI_REGISTER_MIN 65536u

// ---------------------------------------------------------------- the library (load.c)
typedef struct ofi_lib {
    void *handle;
    uint32_t version;
    int (*getinfo)(uint32_t, const char *, const char *, uint64_t, const struct fi_info *,
                   struct fi_info **);
    void (*freeinfo)(struct fi_info *);
    struct fi_info *(*dupinfo)(const struct fi_info *);
    int (*fabric)(struct fi_fabric_attr *, struct fid_fabric **, void *);
    const char *(*strerror)(int);
    uint32_t (*fversion)(void);
} ofi_lib_t;
extern ofi_lib_t ofi_lib;
int ofi_lib_open(void);
/** The library's text for a (positive or negative) provider error. */
const char *ofi_reason(ssize_t err);
/** fi_errno -> CW_E…: the only place where the two meet. */
int ofi_errno_to_cw(ssize_t err);

// ---------------------------------------------------------------- the provider (choose.c)
/** What was chosen and what it demands and promises, as words of our own. */
typedef struct ofi_choice {
    struct fi_info *info;
    struct fi_info *safe_info;  // the same provider for clients of several threads, or NULL: it has
                                // no such mode
    bool msg;                   // MSG endpoints, else RDM
    bool virt_addr;             // remote addresses are the server's virtual addresses
    bool prov_key;              // the provider picks keys
    bool pieces;                // registering pins or needs pages: one region per piece
    bool local_mr;              // local buffers must be registered
    bool mr_endpoint;           // regions are bound to the endpoint
    bool ordered;               // a read flushes the writes before it, and writes stay in order
    bool send_after_write;      // a message never overtakes writes
    bool send_after_send;
    bool delivery;  // FI_DELIVERY_COMPLETE may be asked of single writes
    bool nic_atomics;
    bool multi_recv;  // a buffer may take several messages
    size_t inject_nbytes;
    size_t fragment;  // largest single write or read
} ofi_choice_t;
extern ofi_choice_t ofi_choice __attribute__((visibility("hidden")));
void ofi_expect_load(void);
int ofi_load(bool one_machine);
bool ofi_one_client(void);
/** Looks for safe_info, once. */
void ofi_load_safe(bool one_machine);

// ---------------------------------------------------------------- local addresses (address.c)
/** Numeric address to bind to, by CAUSEWAY_INTERFACE, one_machine or the host's first interface. ""
 *  = any. */
int ofi_local_address(bool one_machine, char *text, size_t nbytes);
/** "10.0.0.1:4711" of a provider address, or hex for formats we do not know. */
const char *ofi_address_text(const void *addr, size_t nbytes, char *text, size_t text_nbytes);

// ---------------------------------------------------------------- lanes (lane.c)
typedef struct ofi_lane {
    struct fi_info *info;  // what it was opened with; not its own
    struct fid_fabric *fabric;
    struct fid_domain *domain;
    struct fid_cq *cq;
    struct fid_eq *eq;              // MSG; RDM with a bell: without events, for its descriptor
    struct fid_ep *ep;              // RDM only
    struct fid_av *av;              // RDM only
    int cq_fd, eq_fd;               // -1: no wait object
    bool bell;                      // eq_fd tells of completions, too; cq has no wait object
    uint64_t endpoints;             // opened so far
    _Atomic uint32_t short_sleeps;  // in a row that a queue's descriptor ended at once
} ofi_lane_t;
/** roomy: the machine has a core for every PE. A client then waits by polling and the tcp
 *  provider's wait object, which costs two system calls for every two completions, a tenth of a
 *  get, is not asked for: its rare sleeps are naps. */
int ofi_lane_open(ofi_lane_t *lane, struct fi_info *info, size_t cq_entries, bool roomy);
void ofi_lane_close(ofi_lane_t *lane);
/** Creates, binds and enables an endpoint on the lane. Says nothing when descriptors are out:
 *  ofi_no_files() tells. */
int ofi_lane_endpoint(ofi_lane_t *lane, struct fi_info *info, void *context, struct fid_ep **ep_p);
/** False: something came since the last poll, which a sleep could miss. With the lock that polls
 *  are made under. */
bool ofi_lane_may_block(ofi_lane_t *lane);
/** Sleeps until the queues or extra_fd have something, or the timeout; *extra_p (or NULL): extra_fd
 *  has. With a bell, completions that a look at connection events brought in end no sleep: the
 *  queue must have been read since. */
int ofi_lane_block(ofi_lane_t *lane, int extra_fd, uint64_t timeout_ns, bool *extra_p);
/** The descriptor of a queue that stays readable with nothing behind it (net of libfabric 1.17: its
 *  trywait does not reset the signal of the last event): gets it reset. To be called by the thread
 *  that may poll the queue, when ofi_lane_stuck(), with a poll behind it; waits up to 1 ms. */
void ofi_lane_unstick(ofi_lane_t *lane);
static inline bool ofi_lane_stuck(const ofi_lane_t *lane)
{
    return lane->short_sleeps >= 8;
}
/** Has the process no descriptor left? */
bool ofi_no_files(void);
/** Says so when that is the case, and returns it. */
bool ofi_out_of_files(void);

// ---------------------------------------------------------------- operations and buffers (pool.c)
struct ofi_peer;
typedef enum ofi_kind {
    OFI_IDLE,
    OFI_WRITE,
    OFI_READ,
    OFI_SEND,
    OFI_RECV,
    OFI_FLUSH,
    OFI_AMO,
    OFI_RECV_MANY
} ofi_kind_t;

/** Completion of several operations counts down one group; it may also own the registration they
 *  use. */
typedef struct ofi_group {
    size_t left;
    struct fid_mr *mr;
    bool owned;  // free it when the last one completes
} ofi_group_t;

typedef struct ofi_op {
    struct fi_context2 context;  // first: the provider writes here
    struct ofi_op *next;
    struct ofi_pool *pool;
    cwt_conn_t *conn;       // client side
    struct ofi_peer *peer;  // server side
    ofi_group_t *group;
    void *buf, *desc;  // buffer of the pool's size, if the pool has buffers
    void *copy_to;     // a read through a bounce buffer ends here
    size_t nbytes;
    ofi_kind_t kind;
    bool awaited;  // counts in client->awaited
} ofi_op_t;

typedef struct ofi_pool {
    struct fid_domain *domain;
    struct ofi_chunk *chunks;
    ofi_op_t *free;
    size_t buf_nbytes;  // 0: operations without a buffer
    uint32_t count, limit;
} ofi_pool_t;
/** Zeroed memory in cache lines of its own, for what one thread writes all the time; NULL: none
 *  left. free() ends it. */
void *ofi_lines(size_t nbytes);
void ofi_pool_init(ofi_pool_t *pool, struct fid_domain *domain, size_t buf_nbytes, uint32_t limit);
void ofi_pool_close(ofi_pool_t *pool);
/** NULL: the limit is reached (make progress and try again) or memory is out. */
ofi_op_t *ofi_pool_get(ofi_pool_t *pool);
static inline void ofi_pool_put(ofi_op_t *op)
{
    op->kind = OFI_IDLE;
    op->group = NULL;
    op->next = op->pool->free;
    op->pool->free = op;
}
/** Calls fn for every operation of the pool that is in use. */
void ofi_pool_each(ofi_pool_t *pool, void (*fn)(ofi_op_t *op, void *arg), void *arg);

/** A block of message buffers, registered if the provider wants that. */
typedef struct ofi_slots {
    uint8_t *memory;
    struct fid_mr *mr;
    ofi_op_t *ops;
    uint32_t count;
} ofi_slots_t;
int ofi_slots_open(ofi_slots_t *slots, struct fid_domain *domain, uint32_t count);
void ofi_slots_close(ofi_slots_t *slots);
/** Registers local memory for our own use if the provider demands it; else *mr_p = NULL. */
int ofi_register_local(struct fid_domain *domain, const void *buf, size_t nbytes,
                       struct fid_mr **mr_p);

// ------------------------------------------------------------- buffers for many messages (multi.c)
#define OFI_MULTI_BUFFERS 4u
#define OFI_MULTI_NBYTES 65536u  // each
typedef struct ofi_multi {
    uint8_t *memory;
    struct fid_mr *mr;
    ofi_op_t ops[OFI_MULTI_BUFFERS];
    uint32_t posted;  // buffers that are; 0: not in use
} ofi_multi_t;
/** For a server with one RDM endpoint. Returns false when each client must bring buffers of its
 *  own. */
bool ofi_multi_open(ofi_multi_t *multi, const ofi_lane_t *lane);
void ofi_multi_close(ofi_multi_t *multi);
/** A message in one of the buffers, or the end of a buffer, or both. */
void ofi_multi_received(cwt_server_t *server, ofi_op_t *op, const struct fi_cq_data_entry *entry);
/** Posts a buffer again that the provider has given back. */
void ofi_multi_again(cwt_server_t *server, ofi_op_t *op);

// --------------------------------------------------------------- proofs and wire formats (proof.c)
typedef enum ofi_purpose {
    OFI_FOR_HELLO = 1,
    OFI_FOR_HELLO2,
    OFI_FOR_WELCOME,
    OFI_FOR_REQUEST,
    OFI_FOR_REPLY,
    OFI_FOR_KEY,
    OFI_FOR_WHENCE
} ofi_purpose_t;
/** SipHash-2-4 of the purpose (ofi_purpose_t) and data under the job's secret. */
uint64_t ofi_digest(const uint8_t secret[CWT_SECRET_BYTES], uint64_t purpose, const void *data,
                    size_t nbytes);

#define OFI_MAGIC 0x43574159u  // "CWAY"
#define OFI_WIRE 2u

/** Published by a server. */
typedef struct ofi_blob {
    uint32_t magic;
    uint16_t wire;
    uint8_t msg;
    uint8_t addr_nbytes;
    uint32_t node;
    char provider[28];
    uint8_t addr[88];
} ofi_blob_t;
_Static_assert(sizeof(ofi_blob_t) == CWT_ADDRESS_MAX, "wire format");

/** Client -> server: private data of the connection request (MSG) or body of the first message
 *  (RDM). */
typedef struct ofi_hello {
    uint32_t magic;
    uint16_t wire, pad;
    uint32_t pe, node;
    uint64_t nonce;
    uint64_t proof[2];
} ofi_hello_t;
_Static_assert(sizeof(ofi_hello_t) == 40, "at most 56 bytes of private data");
void ofi_hello_sign(ofi_hello_t *hello, const uint8_t secret[CWT_SECRET_BYTES]);
bool ofi_hello_check(const ofi_hello_t *hello, const uint8_t secret[CWT_SECRET_BYTES], int node);

/** Server -> client: private data of the acceptance (MSG) or body of the first reply (RDM). */
typedef struct ofi_welcome {
    uint32_t magic;
    uint16_t wire, pad;
    uint32_t nkeys;      // 1: key and base say all; else a table of ofi_key_t is at table_addr
    uint32_t peer;       // to be named in every request (RDM)
    uint64_t proof;      // over the client's nonce
    uint64_t key, base;  // offset + base is the remote address
    uint64_t table_addr, table_key;
} ofi_welcome_t;
_Static_assert(sizeof(ofi_welcome_t) == 56, "at most 56 bytes of private data");

/** Private data of a rejection. */
typedef struct ofi_reject {
    uint32_t magic;
    uint32_t reason;
} ofi_reject_t;
enum { OFI_REJECT_PROOF = 1, OFI_REJECT_WIRE, OFI_REJECT_NOT_READY, OFI_REJECT_RESOURCES };

typedef struct ofi_key {
    uint64_t key, base;
} ofi_key_t;

/** First bytes of everything a server sends. */
typedef struct ofi_reply_header {
    uint64_t token;
    uint64_t reply_id;  // 0: only an acknowledgement
    uint32_t executed;  // requests of this connection executed so far (wraps)
    uint32_t node;      // whose server speaks
    uint32_t nbytes;    // whole message
    uint32_t kind;      // OFI_REPLY…
} ofi_reply_header_t;
_Static_assert(sizeof(ofi_reply_header_t) == 32, "wire format");
enum {
    OFI_REPLY,
    OFI_REPLY_WELCOME,
    OFI_REPLY_REFUSED,
    OFI_REPLY_TOLD  // by the server itself, for nobody's request
};

// reply_id on the wire: what the transport adds to a request
//   63 reply wanted | 62 ack wanted | 61 the transport's own | 40..60 peer | 39 the client may be told things, until it has
//   heard as many as | 24..38 say (modulo 2^15) | 8..23 generation | 0..7 reply slot
#define OFI_ID_REPLY (1ull << 63)
#define OFI_ID_ACK (1ull << 62)
#define OFI_ID_OWN (1ull << 61)
#define OFI_ID_PEER_SHIFT 40
#define OFI_ID_PEER_MASK 0x1fffffu
#define OFI_ID_TELL (1ull << 39)
#define OFI_ID_TELL_SHIFT 24
#define OFI_ID_TELL_MASK 0x7fffu
#define OFI_LEAVE ((uint32_t)(OFI_ID_TELL >> OFI_ID_TELL_SHIFT))
#define OFI_ID_LOW ((1ull << OFI_ID_TELL_SHIFT) - 1)
#define OFI_ID_SLOT_BITS 8
#define OFI_ID_SLOT_MASK 0xffu
#define OFI_ALL_SLOTS ((uint32_t)((1ull << OFI_CREDITS) - 1))
_Static_assert(OFI_CREDITS <= 32, "as many reply slots as credits, one bit each");
enum {
    OFI_OWN_NOP,
    OFI_OWN_HELLO,
    OFI_OWN_BYE
};  // header.op of a message that is the transport's
    // own

// ---------------------------------------------------------------- regions (region.c)
/** The node object as registered by its server. */
typedef struct ofi_region {
    struct fid_mr **mr;  // [nkeys], NULL where a piece is empty
    struct fid_mr *table_mr;
    ofi_key_t *keys;  // [nkeys]
    uint32_t nkeys;
    uint64_t table_addr, table_key;
} ofi_region_t;
int ofi_region_open(ofi_region_t *region, ofi_lane_t *lane, const cwt_server_config_t *config);
void ofi_region_close(ofi_region_t *region);
/** Index of the piece that holds [offset, offset + nbytes), or -1. */
int ofi_piece_of(const cwt_layout_t *layout, uint64_t offset, size_t nbytes);

// ---------------------------------------------------------------- strangers (strangers.c)
/** Connections that came in on a listening port and have not proved anything yet. */
typedef struct ofi_strangers {
    uint16_t port;          // network byte order; 0: no sockets
    uint32_t proof_nbytes;  // so many bytes at least come with a proof
    uint32_t count;
    struct ofi_stranger *list;
    uint64_t look_ns, check_ns;  // when to look again; when to see whether that must be earlier
} ofi_strangers_t;
void ofi_strangers_open(ofi_strangers_t *s, const void *addr, size_t nbytes, uint32_t proof_nbytes);
void ofi_strangers_close(ofi_strangers_t *s);
/** If it is time, shuts those that have said too little for too long; how many. Cheap to call
 *  often. */
uint32_t ofi_strangers_look(ofi_strangers_t *s);

// ---------------------------------------------------------------- server
typedef struct ofi_reply {
    struct ofi_reply *next;
    size_t nbytes;
    uint8_t bytes[];
} ofi_reply_t;

typedef struct ofi_peer {
    cwt_server_t *server;
    struct ofi_peer *next;
    struct fid_ep *ep;
    fi_addr_t fi_addr;
    uint32_t index, pe;
    uint32_t birth;                   // of the connection: no two of a server have the same
    uint32_t told;                    // how often the client was told something
    uint32_t leave;                   // what its last message said of that: 15 may it be at all |
                                      // 0..14 until which
    uint32_t executed, acked;         // requests executed; of these, how many the client knows of
    ofi_slots_t slots;                // receive buffers (RDM: contributed to the common queue)
    ofi_reply_t *queue, **queue_end;  // replies that the wire did not take yet, in order
    bool owed;                        // an acknowledgement, when there is nothing else to do
    bool connected;
    bool dying;       // its client is gone; RDM: free for another
    bool leaving;     // RDM: dying when its last replies are sent
    bool refused;     // RDM: only there to carry a refusal
    uint8_t host[sizeof(struct sockaddr_in6)];  // its address and some port; zeros: not known, or
                                                // no socket's
    uint64_t whence;  // RDM: digest of the client's address
} ofi_peer_t;

struct cwt_from {
    ofi_peer_t *peer;
    uint64_t reply_id;
    bool replied;
};

struct cwt_server {
    cwt_server_config_t config;
    ofi_lane_t lane;
    struct fid_pep *pep;  // MSG
    ofi_region_t region;
    bool ready;  // the secret is known and the region registered
    uint64_t token_in, token_out;
    ofi_peer_t *peers;      // all
    ofi_peer_t **by_index;  // RDM: peer named in requests; all: for origins
    uint32_t by_index_count;
    uint32_t births;
    ofi_slots_t slots;  // RDM: receive buffers for first messages
    ofi_multi_t multi;  // RDM: or for all, if the provider can
    ofi_pool_t sends;
    _Atomic uint32_t queued;  // peers with a queue; written under the caller's lock, and
                              // ofi_server_block has none
    uint32_t owed;            // peers that are owed an acknowledgement
    uint32_t refusals;        // RDM: told to strangers
    uint32_t rounds;
    _Atomic uint32_t false_alarms;  // times in a row that a sleep ended and nothing was there
    ofi_strangers_t strangers;
    uint64_t look_ns;  // when to look for silent hosts again
    uint32_t silent;   // looks in a row that found one while PEs waited
    int lost;          // 0, or the error that ends the job for it
    int wake_fd;
    _Atomic bool slept;  // since the last look at connection events
    bool warned;
    uint8_t addr[128];
    size_t addr_nbytes;
    cwt_stats_t stats;
};

int ofi_server_open(const cwt_server_config_t *config, cwt_server_t **server_p);
int ofi_server_address(cwt_server_t *server, void *blob, size_t *nbytes_p);
void ofi_server_secret(cwt_server_t *server, const uint8_t secret[CWT_SECRET_BYTES]);
int ofi_server_progress(cwt_server_t *server);
bool ofi_server_may_block(cwt_server_t *server);
int ofi_server_block(cwt_server_t *server, uint64_t timeout_ns);
void ofi_server_wake(cwt_server_t *server);
int ofi_server_reply(cwt_from_t *from, const void *payload, size_t nbytes);
uint64_t ofi_server_origin(const cwt_from_t *from);
int ofi_server_tell(cwt_server_t *server, uint64_t origin, const void *head, size_t head_nbytes,
                    const void *payload, size_t payload_nbytes);
void ofi_server_stats(const cwt_server_t *server, cwt_stats_t *stats_p);
void ofi_server_close(cwt_server_t *server);

int ofi_server_msg_open(cwt_server_t *server);
int ofi_server_msg_progress(cwt_server_t *server);  // connection events; number handled
int ofi_server_rdm_open(cwt_server_t *server);
/** Body of an RDM client's first message. */
typedef struct ofi_first {
    ofi_hello_t hello;
    uint32_t addr_nbytes, pad;
    uint8_t addr[];
} ofi_first_t;

/** A first or last message of an RDM client. */
void ofi_server_rdm_own(cwt_server_t *server, ofi_peer_t *peer, const cwt_header_t *msg,
                        size_t nbytes);

ofi_peer_t *ofi_peer_create(cwt_server_t *server, uint32_t pe);
/** Gives it the lowest free number. */
int ofi_peer_number(ofi_peer_t *peer);
/** A client gets connected by it: nothing of one before counts. */
void ofi_peer_begin(ofi_peer_t *peer);
void ofi_peer_destroy(ofi_peer_t *peer);
/** Replies that the wire did not take yet are not sent any more. */
void ofi_peer_drop_queue(ofi_peer_t *peer);
int ofi_peer_post(ofi_peer_t *peer, ofi_op_t *op, struct fid_ep *ep);
void ofi_server_welcome(cwt_server_t *server, const ofi_hello_t *hello, ofi_peer_t *peer,
                        ofi_welcome_t *welcome);
/** Sends header + payload to a peer, or queues it; never blocks. */
int ofi_server_send(ofi_peer_t *peer, ofi_reply_header_t *header, const void *payload,
                    size_t nbytes);
int ofi_server_flush_queues(cwt_server_t *server);
void ofi_server_request(cwt_server_t *server, ofi_peer_t *peer, void *bytes, size_t nbytes);
void ofi_server_drop(cwt_server_t *server, const char *why);

// ---------------------------------------------------------------- client
/** MSG: an attempt to connect, decided by an event that any reader of the client's event queue may
 *  find. */
typedef struct ofi_attempt {
    ofi_welcome_t *welcome;
    bool over;
    int err;          // 0, or the provider's error
    uint32_t reason;  // OFI_REJECT…, 0: none given
} ofi_attempt_t;

/** Up to how many bytes the quick ways may take (quick.c); 0 where the provider or several keys do
 *  not allow that. */
typedef struct ofi_quick {
    uint32_t inject, bounce, request;
    size_t get;
} ofi_quick_t;

struct cwt_conn {
    union {
        cwt_line_t line;  // what core sees of it, and here the same by names of ours
        struct {
            ssize_t (*inject)(void *ep, const void *buf, size_t nbytes, uint64_t fabric_addr);
            struct fid_ep *ep;
            fi_addr_t fi_addr;
            uint64_t token_out, id;
            uint64_t messages;
            uint32_t sent;  // requests sent
            uint32_t stop;  // sent may not reach that without a look at credits and acknowledgement
                            // (message.c)
            uint32_t most;
            bool down;  // lost, parked or changing: operations must ask ofi_conn_down() first
        };
    };
    // what quick.c reads and writes, in two lines
    cwt_client_t *client;
    uint64_t key, base;      // when nkeys == 1
    ofi_quick_t quick;       // all 0 where several threads use the client
    uint32_t epoch_puts;     // since the last quiet
    uint32_t writes, reads;  // tracked operations in flight
    bool dirty;              // puts since the last quiet that a flush must cover
    bool lone_puts;          // the last epoch that had puts had one
    bool first_put;          // none since the last quiet; always false where several threads use
                             // the client
    uint32_t peer;           // our name at the server (RDM)
    uint32_t acked;          // of the requests sent, how many are known executed
    uint32_t asked;          // `sent` behind the newest request that asks for an acknowledgement
    uint32_t free_slots;     // bit i: replies[i] is free
    uint16_t generation;     // of the last reply slot taken; odd
    uint64_t token_in;
    uint32_t told;           // by the server
    uint32_t injected;       // puts since the last flush, injected by the transport itself
    bool used;               // since the hand of the clock passed (park.c)
    uint64_t messages_seen;  // `messages` when the clock looked last

    ofi_quick_t shared;  // the same for those who hold the client's lock
    cwt_conn_t *next;
    int node;
    uint32_t nkeys;
    ofi_key_t *keys;  // [nkeys], when there are several
    struct ofi_target *targets;
    bool welcomed, closing;
    bool parked;            // without an endpoint; the next operation opens it again (park.c)
    bool changing;          // a thread opens or parks it: others wait
    bool pinned;            // other threads inject without a lock: never parked
    uint32_t awaited_sent;  // requests that a quiet in two steps waits for
    uint32_t waiting;       // threads that wait in the middle of an operation on it: not parked
                            // meanwhile
    uint32_t opened;        // times
    bool probing;           // RDM: a read that tells whether the peer lives is under way
    bool sending;           // a thread is between credit and wire: requests go one after the other
    uint64_t stuck_ns;      // RDM: since when the provider does not even take that read
    int error;              // sticky: 0 or CW_E…, already reported
    struct {
        cwt_reply_t *reply;
        uint16_t generation;
    } replies[OFI_CREDITS];
    ofi_slots_t slots;       // receive buffers for replies
    ofi_welcome_t *welcome;  // RDM: where the first answer goes
    ofi_attempt_t *attempt;  // MSG: under way, or NULL
    ofi_blob_t blob;         // what the node published
    char address[64];
};
_Static_assert(offsetof(struct cwt_conn, down) == offsetof(cwt_line_t, down) &&
                   offsetof(struct cwt_conn, sent) == offsetof(cwt_line_t, sent) &&
                   offsetof(struct cwt_conn, token_out) == offsetof(cwt_line_t, token),
               "one memory, two names");

/** What we know of a target record the core gave us. */
typedef struct ofi_target {
    cwt_target_t *record;
    uint64_t slice_delta;
    struct ofi_target *next;
} ofi_target_t;

/** Was something injected since the last quiet? Front ends store the mark without our lock. */
static inline bool ofi_is_marked(const ofi_target_t *t)
{
    return __atomic_load_n(&t->record->last, __ATOMIC_RELAXED) != 0;
}

struct cwt_client {
    cwt_client_config_t config;
    ofi_lane_t lane;
    cwt_conn_t *conns;
    cwt_conn_t *hand;    // where the search for a connection to park goes on (park.c)
    uint32_t open;       // connections that have an endpoint, or are about to get one
    cwt_conn_t *failed;  // RDM: never connected, but their buffers are in the common queue
    ofi_pool_t ops;      // no buffers
    ofi_pool_t bounce;   // OFI_BOUNCE_NBYTES each
    ofi_strangers_t strangers;
    uint64_t *scratch;  // where flushes read to
    struct fid_mr *scratch_mr;
    cwu_lock_t lock;    // used with thread_multiple only
    bool safe;          // the provider locks for itself
    bool emptying;      // a thread waits until nothing is in flight: new calls wait for it
    pthread_t emptier;  // which
    uint32_t calm;      // times that emptying ended; futex of those who wait for it
    uint32_t awaited;   // operations in flight that a quiet in two steps waits for
    uint32_t looks;     // whether it is over
    uint32_t rounds;    // of progress that waits outside make
    uint64_t look_ns;   // when to look for lost peers again
    int error;
    int lost;     // what the first connection failed with, if one did while operations were under
                  // way
    int atomics;  // 0: not asked yet, 1: native, -1: none
    uint32_t spin, yields;
    cwt_stats_t stats;
};

int ofi_client_open(const cwt_client_config_t *config, cwt_client_t **client_p);
void ofi_client_stats(const cwt_client_t *client, cwt_stats_t *stats_p);
void ofi_client_close(cwt_client_t *client);
int ofi_connect(cwt_client_t *client, int node, const void *blob, size_t nbytes,
                cwt_conn_t **conn_p);
int ofi_target(cwt_conn_t *conn, uint32_t slot, uint64_t slice_delta, cwt_target_t *target);
int ofi_put(cwt_conn_t *conn, uint64_t offset, const void *src, size_t nbytes, bool nbi);
int ofi_put_complete(cwt_conn_t *conn, uint64_t offset, const void *src, size_t nbytes);
int ofi_get(cwt_conn_t *conn, uint64_t offset, void *dst, size_t nbytes, bool nbi);
int ofi_request(cwt_conn_t *conn, cwt_header_t *msg, size_t nbytes, cwt_reply_t *reply);
int ofi_message(cwt_conn_t *conn, cwt_header_t *msg, size_t nbytes, const void *payload,
                size_t payload_nbytes);
int ofi_put_message(cwt_conn_t *conn, uint64_t offset, const void *src, size_t nbytes, bool nbi,
                    cwt_header_t *msg, size_t msg_nbytes);
int ofi_wait(cwt_client_t *client, cwt_reply_t *reply);
int ofi_amo(cwt_conn_t *conn, uint64_t offset, int op, int nbytes, uint64_t operand,
            uint64_t compare, uint64_t *old_p);
bool ofi_pending(cwt_client_t *client);
int ofi_quiet(cwt_client_t *client);
int ofi_quiet_begin(cwt_client_t *client);
int ofi_quiet_over(cwt_client_t *client);
int ofi_fence(cwt_client_t *client);
int ofi_progress(cwt_client_t *client);
int ofi_look(cwt_client_t *client);

// ---------------------------------------------------------------- several threads (thread.c)
static inline void ofi_lock(cwt_client_t *client)
{
    if (client->config.thread_multiple)
        cwu_lock(&client->lock);
}

static inline void ofi_unlock(cwt_client_t *client)
{
    if (client->config.thread_multiple)
        cwu_unlock(&client->lock);
}

/** Lock held: until nobody empties the client. */
void ofi_await_calm(cwt_client_t *client);
/** A call comes in: takes the lock, and lets a thread that empties the client finish. Without that,
 *  others that go on putting could keep a quiet waiting for ever. ofi_unlock() ends the call. */
static inline void ofi_enter(cwt_client_t *client)
{
    if (!client->config.thread_multiple)
        return;
    cwu_lock(&client->lock);
    if (__builtin_expect(client->emptying, 0))
        ofi_await_calm(client);
}
/** Lock held: this thread is now the only one that issues operations, until ofi_empty_end(). May
 *  wait. Returns false if it was already (a quiet sends requests of its own): then there is no end
 *  to call. */
bool ofi_empty_begin(cwt_client_t *client);
void ofi_empty_end(cwt_client_t *client);

// ---------------------------------------------------------------- reply slots: as many as credits
/** Takes one for a reply, which there must be; returns its id on the wire. The generation is odd,
 *  so no id is 0. */
static inline uint64_t ofi_slot_take(cwt_conn_t *conn, cwt_reply_t *reply)
{
    uint32_t i = (uint32_t)__builtin_ctz(conn->free_slots);
    conn->free_slots &= conn->free_slots - 1;
    conn->generation = (uint16_t)(conn->generation + 2);
    conn->replies[i].reply = reply;
    conn->replies[i].generation = conn->generation;
    reply->done = 0;
    return OFI_ID_REPLY | (uint64_t)conn->generation << OFI_ID_SLOT_BITS | i;
}

/** May the server tell this client things? Not where messages may overtake each other: a leave that
 *  was taken back must not be followed by an older one. */
static inline bool ofi_hears(const cwt_client_t *client)
{
    return client->config.told && client->config.tells > 0 && ofi_choice.send_after_send;
}

/** What all messages on the connection say from now on. */
static inline void ofi_conn_name(cwt_conn_t *conn, bool hears)
{
    uint64_t until = (conn->told + conn->client->config.tells) & OFI_ID_TELL_MASK;
    conn->id = (uint64_t)conn->peer << OFI_ID_PEER_SHIFT |
               (hears ? OFI_ID_TELL | until << OFI_ID_TELL_SHIFT : 0);
}

static inline void ofi_slot_give(cwt_conn_t *conn, uint32_t i)
{
    conn->replies[i].reply = NULL;
    conn->free_slots |= 1u << i;
}

// connect_msg.c, connect_rdm.c: the two ways to get conn->welcomed
int ofi_connect_msg(cwt_conn_t *conn, const ofi_blob_t *blob, const ofi_hello_t *hello,
                    ofi_welcome_t *welcome);
int ofi_connect_rdm(cwt_conn_t *conn, const ofi_blob_t *blob, const ofi_hello_t *hello,
                    ofi_welcome_t *welcome);
/** Waits a moment between attempts, with progress; CW_ETIMEOUT when CAUSEWAY_TIMEOUT is over. */
int ofi_connect_pause(cwt_conn_t *conn, uint64_t start_ns, uint32_t *pause_us);
uint64_t ofi_timeout_ns(void);
/** The message for a connection that did not come about. */
int ofi_connect_failed(cwt_conn_t *conn, int code, const char *reason);
int ofi_conn_post(cwt_conn_t *conn, ofi_op_t *op);
int ofi_conn_post_all(cwt_conn_t *conn);

// park.c: connections that rest without an endpoint
/** conn->down is set: waits for who changes it, opens a parked connection again, reports a lost
 *  one. 0: it is up. */
int ofi_conn_down(cwt_conn_t *conn, const char *what);
/** One hello and the answer to it. */
int ofi_conn_introduce(cwt_conn_t *conn);
/** Opens a new or parked connection, at the cost of another if descriptors or
 *  CAUSEWAY_MAX_CONNECTIONS demand it. */
int ofi_conn_open(cwt_conn_t *conn);
/** Makes the record fit the connection as it is now. */
void ofi_target_fill(cwt_target_t *record, cwt_conn_t *conn, uint64_t slice_delta);
static inline int ofi_conn_up(cwt_conn_t *conn, const char *what)
{
    conn->used = true;
    return __builtin_expect(conn->down, 0) ? ofi_conn_down(conn, what) : conn->error;
}

// sockets.c: what providers that stand on sockets do not tell about them
typedef struct ofi_socket {
    int fd;
    uint64_t cookie;  // the kernel's: never that of another socket
} ofi_socket_t;
/** Shuts this process's only TCP connection to that address; the provider closes its descriptor
 *  when it next looks. Returns false if there is none, or several. */
bool ofi_socket_shut(const void *addr, size_t nbytes, ofi_socket_t *socket_p);
/** Is it still open? */
bool ofi_socket_is_open(const ofi_socket_t *socket);
/** Is this the address of a socket? */
bool ofi_is_socket_name(const void *addr, size_t nbytes);
/** Whom the descriptor, a socket, is connected to; false: it is none, or not connected. */
bool ofi_socket_peer(int fd, struct sockaddr_storage *peer_p);
bool ofi_is_name(const struct sockaddr_storage *peer, const void *addr, size_t nbytes);
/** Is it the same host, whatever the port? */
bool ofi_is_host(const struct sockaddr_storage *peer, const void *addr, size_t nbytes);
/** The port of a socket's address, in network byte order; 0: it is none. */
uint16_t ofi_port_of(const void *addr);
/** Calls fn with each descriptor of this process, in ascending order, until it returns false. */
void ofi_sockets_each(bool (*fn)(int fd, void *arg), void *arg);
/** The kernel's name of the socket, never that of another; 0: no socket. */
uint64_t ofi_socket_cookie(int fd);

// silence.c
/** Fails connections to hosts that have answered nothing for CAUSEWAY_TIMEOUT. For those who
 *  wait. */
void ofi_silence_look(cwt_client_t *client);

/** The same for a server's clients: sets server->lost. */
void ofi_silence_look_in(cwt_server_t *server);

// completion.c
/** One poll of the completion queue; number of events. */
int ofi_client_poll(cwt_client_t *client);
/** Looks for connection events (MSG). */
int ofi_client_events(cwt_client_t *client);
/** Marks a connection lost, reports it once, fails all that waits on it. */
void ofi_conn_fail(cwt_conn_t *conn, int code, const char *what, const char *reason);
/** Is anything under way on the connection, or due at quiet? */
bool ofi_outstanding(const cwt_conn_t *conn);
/** Is the end of the connection a loss? */
bool ofi_is_needed(const cwt_conn_t *conn);
const char *ofi_node_name(const cwt_client_t *client, int node);
void ofi_group_done(ofi_group_t *group);
/** No operation in flight may touch this group any more (its owner returns with an error). */
void ofi_group_forget(cwt_client_t *client, ofi_group_t *group);

// request.c
void ofi_reply_arrived(cwt_client_t *client, ofi_op_t *op, size_t nbytes);
/** A request of the transport's own, which asks for an acknowledgement. Whether the connection is
 *  up is not looked at. */
int ofi_request_own(cwt_conn_t *conn, uint16_t op, const void *body, size_t nbytes);
/** Waits until every request sent on the connection is known executed. */
int ofi_wait_acks(cwt_conn_t *conn);
int ofi_send_message(cwt_conn_t *conn, const void *message, size_t nbytes);

// quick.c: entry points; what is simple is done there
/** To be called when keys are known: what the quick ways may do on this connection. */
void ofi_quick_allow(cwt_conn_t *conn);
/** ofi_request for clients of several threads; also what it leaves to others. */
int ofi_request_shared(cwt_conn_t *conn, cwt_header_t *msg, size_t nbytes, cwt_reply_t *reply);
int ofi_message_shared(cwt_conn_t *conn, cwt_header_t *msg, size_t nbytes);
// what is not simple, or was not taken at once; lock held
int ofi_put_locked(cwt_conn_t *conn, uint64_t offset, const void *src, size_t nbytes, bool nbi);
int ofi_get_locked(cwt_conn_t *conn, uint64_t offset, void *dst, size_t nbytes, bool nbi);
int ofi_request_locked(cwt_conn_t *conn, cwt_header_t *msg, size_t nbytes, cwt_reply_t *reply);

// rma.c
/** Waits until a group has no operation left but its owner's count. */
int ofi_group_wait(cwt_conn_t *conn, ofi_group_t *group, const char *what);
bool ofi_remote(cwt_conn_t *conn, uint64_t offset, size_t nbytes, uint64_t *addr_p,
                uint64_t *key_p);
int ofi_drain_puts(cwt_conn_t *conn);
/** Waits until nothing is under way on the connection (but what other threads add meanwhile). */
int ofi_drain(cwt_conn_t *conn);
int ofi_read_raw(cwt_conn_t *conn, ofi_op_t *op, void *dst, size_t nbytes, void *desc,
                 uint64_t addr, uint64_t key);
/** Collects the dirty marks of the target records into conn->dirty, and clears them. */
void ofi_collect_dirty(cwt_conn_t *conn);
size_t ofi_inject_most(void);
ssize_t ofi_inject_shim(void *ep, const void *buf, size_t nbytes, uint64_t fabric_addr,
                        uint64_t addr, uint64_t key);

// order.c
/** Starts a small read behind everything; 0 or the provider's error. */
ssize_t ofi_start_probe(cwt_conn_t *conn);

// wait.c
typedef struct ofi_waiter {
    const char *what;  // for the "still waiting" message
    uint32_t round;
    uint32_t sleep_us;
    uint64_t since_ns;  // of the last progress
    bool gives_up;      // CW_ETIMEOUT after CAUSEWAY_TIMEOUT without progress
} ofi_waiter_t;
#define OFI_WAITER(what)       \
    {                          \
        (what), 0, 0, 0, false \
    }
#define OFI_WAITER_FOR_ROOM(what) \
    {                             \
        (what), 0, 0, 0, true     \
    }
/** One round of waiting: progress, idle(), then yield, then sleep. Returns the connection's (or
 *  client's) error. */
int ofi_wait_round(cwt_client_t *client, cwt_conn_t *conn, ofi_waiter_t *w);
void ofi_wait_init(cwt_client_t *client);
/** For waits outside the transport, each round: looks for lost peers if it is time. */
void ofi_watch_peers(cwt_client_t *client);
/** Has this machine a core for every PE that shares it? */
bool ofi_roomy(const cwt_client_config_t *config);

#endif
