// SPDX-License-Identifier: BSD-3-Clause
//
// The client half: one client per communication context, one conn per node touched. This header has
// the objects; calls.h has what the files of this room offer each other.
//
// Threads: a client and its conns are one thread's at a time. A client with thread_multiple takes
// calls from any thread: client->lock guards everything it owns, and is given up while a call waits
// (wait.c), so that the others go on. Its device is opened for FI_THREAD_SAFE if the provider
// grants that; then the plain inject of its target records needs no lock of the transport.
#ifndef CWT_OFI_CLIENT_H
#define CWT_OFI_CLIENT_H

#include <pthread.h>
#include <rdma/fi_rma.h>

#include "base/lock.h"
#include "base/wait.h"
#include "transport/ofi/lib/device.h"
#include "transport/ofi/lib/sockets.h"
#include "transport/ofi/wire/receives.h"

#define OFI_BOUNCE_NBYTES 16384u    // puts up to this size are copied and forgotten
#define OFI_BOUNCE_NBI_NBYTES 256u  // the same for those that need not be copied
#define OFI_BOUNCE_MAX 128u         // bounce buffers per client
#define OFI_INJECT_MAX 8192u        // injected puts between two flushes
#define OFI_OPS_MAX 1024u           // operations in flight per client
#define OFI_FRAGMENTS 4u            // pieces in flight of one transfer
// local buffers from here on are registered, not copied
#define OFI_REGISTER_MIN 65536u

/** Counts down as operations complete; it may also own the registration that they use. */
typedef struct ofi_completion {
    size_t left;
    cwt_reply_t *reply;  // NULL, or what says that it is over
    // for when none is left
    struct fid_mr *mr;
    bool owned;  // free it when the last one completes
} ofi_completion_t;

/** For one operation, which its caller waits for: its own count keeps it from coming to the end. */
static CW_ALWAYS_INLINE void ofi_completion_of_one(ofi_completion_t *completion)
{
    completion->left = 2;
    completion->reply = NULL;
}

/** MSG: an attempt to connect, decided by an event that any reader of the client's event queue may
 *  find. */
typedef struct ofi_attempt {
    ofi_welcome_t *welcome;
    bool over;
    int err;          // 0, or the provider's error
    uint32_t reason;  // OFI_REJECT…, 0: none given
} ofi_attempt_t;

/** Up to how many bytes the fast paths may take (fast.c); 0 where the provider or several keys do
 *  not allow that. */
typedef struct ofi_fast {
    size_t inject, request, get, bounce;
} ofi_fast_t;

/** What fi_writemsg reads, during the call only: kept, since most of it is the same each time. */
typedef struct ofi_write {
    struct iovec local;
    struct fi_rma_iov remote;
    void *desc;
    struct fi_msg_rma msg;
} ofi_write_t;

struct cwt_conn {
    union {
        cwt_channel_t
            channel;  // what core sees of it, and here the same under the transport's names
        struct {
            ssize_t (*inject)(void *ep, const void *buf, size_t nbytes, uint64_t fabric_addr);
            struct fid_ep *ep;
            fi_addr_t fi_addr;
            uint64_t token_out, id;
            uint32_t sent;  // requests sent
            uint32_t stop;  // sent may not reach that without a check of credits and
                            // acknowledgement (message.c)
            uint32_t most;
            bool down;  // lost, evicted or changing: operations must ask ofi_conn_down() first
        };
    };
    // what fast.c reads and writes, in two lines
    cwt_client_t *client;
    uint64_t key, base;         // when nkeys == 1; else of piece 0
    ofi_fast_t fast;            // all 0 where several threads use the client
    uint32_t puts_since_quiet;  // since the last quiet
    uint32_t puts_until;        // of these, where the fast paths end; 0: before the first one
    uint32_t writes, reads;     // tracked operations in flight
    bool dirty;                 // puts since the last quiet that a flush must cover
    bool single_puts;           // between the last two quiets with puts there was one
    bool ask_next;              // the next request may be the only one before a quiet: it asks for
                                // its acknowledgement (order.c), on the general path
    uint32_t peer;              // this client's name at the server (RDM)
    uint32_t acked;             // of the requests sent, how many are known executed
    uint32_t sent_before;       // of the requests sent, those before the last quiet, and the
                                // transport's own since
    uint32_t asked;             // `sent` behind the newest request that asks for an acknowledgement
    uint32_t free_replies;      // bit i: replies[i] is free
    ofi_expected_t token_in;
    uint32_t notified;     // notifications received
    uint32_t injected;     // puts since the last flush, injected by the transport itself
    bool used;             // since the hand of the clock passed (evict.c)
    size_t moving;         // bytes of gets and long puts posted since none was in flight
    uint64_t token_first;  // of this connection: token_out has moved on by the requests sent
    uint64_t token_seen;   // token_out when the hand passed last

    ofi_fast_t shared;  // the same for threads that take the client's lock then; else all 0
    ofi_write_t write;  // of the operation that is being handed over
    cwt_conn_t *next;
    int node;
    uint32_t nkeys;
    uint64_t *keys;  // [nkeys], when there are several; for keys.c alone
    struct ofi_target *targets;
    bool welcomed, closing;
    bool evicted;           // without an endpoint; the next operation opens it again (evict.c)
    bool changing;          // a thread opens or evicts it: others wait
    bool pinned;            // other threads inject without a lock: never evicted
    uint32_t awaited_sent;  // requests that a quiet in two steps waits for
    uint32_t waiting;       // threads that wait in the middle of an operation on it: not evicted
                            // meanwhile
    uint32_t opened;        // times
    bool probing;           // RDM: a read that shows whether the peer lives is under way
    bool sending;           // a thread is between credit and wire: requests go one after the other
    uint64_t stuck_ns;      // RDM: since when the provider does not even take that read
    int error;              // sticky: 0 or CW_E…, already reported
    struct {
        cwt_reply_t *reply;
        uint64_t id;  // on the wire, of the reply taken or of the next one
    } replies[OFI_CREDITS];
    ofi_receives_t receives;  // MSG: for replies and notifications
    bool received;            // RDM: has added its part to the client's receives
    ofi_welcome_t *welcome;   // RDM: where the first reply goes, while one is due
    uint64_t nonce;           // RDM: of the first message that it is due to
    ofi_attempt_t *attempt;   // MSG: under way, or NULL
    ofi_blob_t blob;          // what the node published
    size_t request_most;      // bytes of a request that it takes
    char address[64];
};
_Static_assert(offsetof(struct cwt_conn, down) == offsetof(cwt_channel_t, down) &&
                   offsetof(struct cwt_conn, sent) == offsetof(cwt_channel_t, sent) &&
                   offsetof(struct cwt_conn, token_out) == offsetof(cwt_channel_t, token),
               "one memory, two names");

/** A target record of the core, as the transport keeps it. */
typedef struct ofi_target {
    cwt_target_t *record;
    uint64_t slice_delta;
    struct ofi_target *next;
} ofi_target_t;

/** Was something injected since the last quiet? Front ends store the mark without the lock. */
static inline bool ofi_is_marked(const ofi_target_t *t)
{
    return __atomic_load_n(&t->record->last, __ATOMIC_RELAXED) != 0;
}

struct cwt_client {
    cwt_client_config_t config;
    ofi_device_t device;
    cwt_conn_t *conns;
    cwt_conn_t *hand;      // where the search for a connection to evict goes on (evict.c)
    uint32_t open;         // connections that have an endpoint, or are about to get one
    cwt_conn_t *failed;    // RDM: never connected, but operations under way may name them
    cwt_conn_t **by_node;  // RDM: the connection that was opened last to a node; NULL: none
    uint32_t by_node_count;
    ofi_pool_t ops;           // no buffers
    ofi_pool_t bounce;        // OFI_BOUNCE_NBYTES each
    ofi_receives_t receives;  // RDM
    uint32_t late;            // receives that the provider did not take yet
    ofi_unauth_t unauth;
    uint64_t *scratch;  // where flushes read to
    struct fid_mr *scratch_mr;
    cwu_lock_t lock;             // used with thread_multiple only
    bool safe;                   // the provider locks for itself
    bool exclusive;              // a thread waits until nothing is in flight: new calls wait for it
    pthread_t exclusive_thread;  // which
    uint32_t exclusive_ends;     // times that it ended; futex of the threads that wait for it
    uint32_t awaited;            // operations in flight that a quiet in two steps waits for
    uint32_t tests;              // of such a quiet
    uint32_t rounds;             // of progress that waits outside make
    uint32_t long_puts;          // puts since the last quiet that waited for their source
    bool single_long;            // between the last two quiets with such puts there was one
    // of a server's client (attached.c)
    _Atomic uint32_t tries;      // messages that were tried (ofi_try_message)
    _Atomic bool apart;          // the server sleeps without this client's descriptors
    int wake_fd;                 // of the server
    uint32_t introducing;        // connections that wait for their welcome: by the server's thread
    uint32_t apart_at;           // `tries` when the server's thread last found the client quiet
    struct {                     // guarded by the server's lock
        _Atomic uint32_t tries;  // when it began
        uint32_t rounds;         // of progress without an event or such a message
        uint32_t poll_at;        // of these, the next one that polls
    } quiet;
    uint64_t check_ns;                   // when to check for lost peers again
    int error;
    int lost;  // what the first connection failed with, if one did while operations were under
               // way
    cwu_wait_plan_t plan;
    cwt_stats_t stats;
    // that is being taken, if it was moved: the caller's stack may be small
    _Alignas(8) uint8_t message[OFI_BUFFER_NBYTES];
};

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

/** Lock held: waits until no thread uses the client exclusively. */
void ofi_exclusive_wait(cwt_client_t *client);
/** A call comes in: takes the lock, and lets a thread that uses the client exclusively finish.
 *  Without that, others that go on putting could keep a quiet waiting for ever. ofi_unlock() ends
 *  the call. */
static inline void ofi_enter(cwt_client_t *client)
{
    if (!client->config.thread_multiple)
        return;
    cwu_lock(&client->lock);
    if (CW_UNLIKELY(client->exclusive))
        ofi_exclusive_wait(client);
}
/** The same where it is known that several threads use the client. */
static CW_ALWAYS_INLINE void ofi_enter_shared(cwt_client_t *client)
{
    cwu_lock(&client->lock);
    if (CW_UNLIKELY(client->exclusive))
        ofi_exclusive_wait(client);
}
/** Lock held: this thread is now the only one that issues operations, until ofi_exclusive_end().
 *  May wait. Returns false if it was already (a quiet sends requests of its own): then there is no
 *  end to call. */
bool ofi_exclusive_begin(cwt_client_t *client);
void ofi_exclusive_end(cwt_client_t *client);

// ---------------------------------------------------------------- replies: as many as credits
// An id is index and generation, which counts up with each use and is odd, so no id is 0.
static inline void ofi_replies_init(cwt_conn_t *conn)
{
    conn->free_replies = OFI_ALL_REPLIES;
    for (uint32_t i = 0; i < OFI_CREDITS; i++)
        conn->replies[i].id = OFI_ID_REPLY | 1u << OFI_ID_INDEX_BITS | i;
}

/** Takes a free one, which there must be; returns its id on the wire. */
static inline uint64_t ofi_reply_take(cwt_conn_t *conn, cwt_reply_t *reply)
{
    uint32_t i = (uint32_t)__builtin_ctz(conn->free_replies);
    conn->free_replies &= conn->free_replies - 1;
    conn->replies[i].reply = reply;
    reply->done = 0;
    return conn->replies[i].id;
}

static inline void ofi_reply_give(cwt_conn_t *conn, uint32_t i)
{
    conn->replies[i].reply = NULL;
    conn->replies[i].id =
        OFI_ID_REPLY | ((conn->replies[i].id + (2u << OFI_ID_INDEX_BITS)) & OFI_ID_LOW);
    conn->free_replies |= 1u << i;
}

/** May the server send this client notifications? Not where messages may overtake each other: a
 *  permission that was withdrawn must not be followed by an older one. */
static inline bool ofi_takes_notifications_of(const cwt_client_config_t *config)
{
    return config->notified && config->notifications > 0 && ofi_choice.send_after_send;
}
static inline bool ofi_takes_notifications(const cwt_client_t *client)
{
    return ofi_takes_notifications_of(&client->config);
}

/** What all messages on the connection carry from now on. */
static inline void ofi_conn_name(cwt_conn_t *conn, bool notify)
{
    uint64_t until = (conn->notified + conn->client->config.notifications) & OFI_ID_NOTIFY_MASK;
    conn->id = (uint64_t)conn->peer << OFI_ID_PEER_SHIFT |
               (notify ? OFI_ID_NOTIFY | until << OFI_ID_NOTIFY_SHIFT : 0);
}

#endif
