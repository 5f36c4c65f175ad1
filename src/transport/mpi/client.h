// SPDX-License-Identifier: BSD-3-Clause
//
// A client of the MPI transport and its connections, private to the files of this room.
//
// Puts are MPI_Put; small ones from a ring of copies, so that they return at once. A connection
// counts them, and how many a flush has covered, so a thread that flushes does not hide puts from
// one that looks meanwhile. Requests have numbers; answers say how far they have been executed.
// The lock guards all but the counts of puts. MPI_Put, MPI_Get and flushes are called without it.
//
// Where messages are faster than the window (choice.c), puts and gets are messages (move.c): small
// ones within a request and its reply, large ones by tracks.
#ifndef CWT_MPI_CLIENT_H
#define CWT_MPI_CLIENT_H

#include <stdatomic.h>

#include "base/lock.h"
#include "base/wait.h"
#include "transport/mpi/track.h"
#include "transport/mpi/world.h"

enum {
    MPW_RING = 1 << 18,         // bytes of copies of small puts
    MPW_COPY_MOST = 4096,       // a put of more waits until MPI has read its source
    MPW_INJECT_MOST = 256,      // what the core's scalar puts take
    MPW_PUTS_MOST = 4096,       // puts to a node without a flush
    MPW_REQUESTS_MOST = 256,    // requests to a node that are not known to be executed
    MPW_ACK_EVERY = 64,         // one of so many asks for an answer
    MPW_LOOK_EVERY = 64,        // one of so many transfers begins with a hint to the server
    MPW_LOOK_NBYTES = 1 << 16,  // and each of so many bytes
    MPW_LOOK_NS = 2500000,      // but within so long of a hint, behind which servers poll longer
    MPW_SLOW_NS = 100000,       // a flush that waits so long asks for a hint, whatever was before
    MPW_SLOW_FLUSHES = 16,      // and so many flushes behind it wait with patience first
    MPW_SLOTS_MOST = 64,        // messages of a client that MPI may be sending
    MPW_TRAFFIC_NS = 1000000,   // what follows a request within so long hints at more to come
};

/** A reply that is awaited; its id is its index + 1 and the number of its use. */
typedef struct mpw_pending {
    cwt_reply_t *reply;
    cwt_conn_t *conn;
    uint32_t use;
    int32_t next;  // free ones
} mpw_pending_t;

/** A large transfer by messages, or a small get that no caller waits for. */
typedef struct mpw_transfer {
    struct mpw_transfer *next;
    cwt_conn_t *conn;
    cwt_reply_t *landed;  // of the caller, or NULL
    cwt_reply_t answer;   // of the server
    bool is_answered;     // an answer is due: not for what is received by a track
    bool is_put;
    int track;  // -1: none
    mpw_bytes_t bytes;
    uint64_t number;  // in the order of beginning
} mpw_transfer_t;

typedef struct mpw_target {
    struct mpw_target *next;
    cwt_target_t *record;
} mpw_target_t;

struct cwt_conn {
    cwt_channel_t channel;  // must be first; nothing goes that way
    cwt_client_t *client;
    cwt_conn_t *next;
    int node, rank;
    mpw_target_t *targets;
    _Atomic uint64_t issued, flushed;   // transfers; those that a flush has covered
    _Atomic uint64_t copied, reusable;  // puts from the ring; those that MPI has read
    _Atomic uint64_t puts, gets;        // for statistics
    _Atomic uint64_t traffic;           // transfers since a hint to the server was due
    _Atomic uint64_t looked_ns;         // when one was sent last; 0: send one when it is due
    _Atomic uint64_t nbytes;            // of transfers since one was waited for: about a ns each
    _Atomic uint32_t slow;              // flushes that wait for the server before
    uint32_t sent, acked, asked;        // requests: the last one that was sent, is known to be
                                        // executed, will be answered
    uint32_t awaited;                   // quiet_test
    uint64_t busy_ns;                   // when a request or transfer began last
    uint16_t notified;
};

struct cwt_client {
    cwt_client_config_t config;
    cwu_wait_plan_t plan;
    cwu_lock_t lock;
    uint16_t tag, nonce;
    int error;
    cwt_conn_t *conns;
    mpw_sender_t sender;
    mpw_pending_t *pending;
    int32_t npending, free_pending;
    mpw_transfer_t *first, **end, *spare;  // transfers under way, the oldest one first
    uint64_t begun, awaited;               // their number; quiet_test
    uint8_t *ring;
    size_t ring_used;
    cwt_stats_t stats;
    _Alignas(8) uint8_t message[MPW_WIRE_MOST];
};

/** A waiting loop: poll, then yield, then sleep a little, and warn of a long silence. */
typedef struct mpw_patience {
    uint32_t rounds, warnings;
    uint64_t since_ns;  // of naps; 0: none yet
} mpw_patience_t;

static inline void mpw_lock(cwt_client_t *client)
{
    if (client->config.thread_multiple)
        cwu_lock(&client->lock);
}

static inline void mpw_unlock(cwt_client_t *client)
{
    if (client->config.thread_multiple)
        cwu_unlock(&client->lock);
}

/** The bytes of a transfer that one call of MPI takes. */
static inline size_t mpw_piece_of(size_t nbytes)
{
    return nbytes < CWT_MPI_COUNT_MAX ? nbytes : CWT_MPI_COUNT_MAX;
}

// client.c
int mpw_open(const cwt_client_config_t *config, cwt_client_t **client_p);
int mpw_connect(cwt_client_t *client, int node, const void *blob, size_t nbytes,
                cwt_conn_t **conn_p);
int mpw_target(cwt_conn_t *conn, uint32_t slot, uint64_t slice_delta, cwt_target_t *target);
void mpw_stats(const cwt_client_t *client, cwt_stats_t *stats_p);
void mpw_close(cwt_client_t *client);
const char *mpw_node_name(const cwt_client_t *client, int node);

// rma.c
ssize_t mpw_inject(void *ep, const void *buf, size_t nbytes, uint64_t fabric_addr, uint64_t addr,
                   uint64_t key);
int mpw_put(cwt_conn_t *conn, uint64_t offset, const void *src, size_t nbytes, bool nbi);
int mpw_put_complete(cwt_conn_t *conn, uint64_t offset, const void *src, size_t nbytes);
int mpw_get(cwt_conn_t *conn, uint64_t offset, void *dst, size_t nbytes, bool nbi);
int mpw_get_begin(cwt_conn_t *conn, uint64_t offset, void *dst, size_t nbytes, cwt_reply_t *landed);
int mpw_amo(cwt_conn_t *conn, uint64_t offset, int op, int nbytes, uint64_t operand,
            uint64_t compare, uint64_t *old_p);
/** Reports a failure of MPI, once; the client's error. */
int mpw_conn_failed(const cwt_conn_t *conn, const char *what, int code) CW_NOINLINE;
/** Does the server poll for a while, because of the last hint? If not, the caller sends one. */
bool mpw_is_watched(cwt_conn_t *conn);
/** The threads of a client count with it; a single one needs no locked instruction. */
void mpw_count(const cwt_conn_t *conn, _Atomic uint64_t *n);
/** All puts and gets through the window on the connection are complete. Not locked. */
int mpw_flush(cwt_conn_t *conn);
/** The same without patience, and also locked: MPI's flush polls and never gives the core away. */
int mpw_flush_now(cwt_conn_t *conn);

// request.c
int mpw_request(cwt_conn_t *conn, cwt_header_t *msg, size_t nbytes, cwt_reply_t *reply);
int mpw_message(cwt_conn_t *conn, cwt_header_t *msg, size_t nbytes, const void *payload,
                size_t payload_nbytes);
int mpw_try_message(cwt_conn_t *conn, cwt_header_t *msg, size_t nbytes, const void *payload,
                    size_t payload_nbytes);
int mpw_put_message(cwt_conn_t *conn, uint64_t offset, const void *src, size_t nbytes, bool nbi,
                    cwt_header_t *msg, size_t msg_nbytes);
int mpw_wait(cwt_client_t *client, cwt_reply_t *reply);
int mpw_quiet(cwt_client_t *client);
int mpw_quiet_begin(cwt_client_t *client);
int mpw_quiet_test(cwt_client_t *client);
int mpw_progress(cwt_client_t *client);
int mpw_poll(cwt_client_t *client);

/** May another request leave? Locked. */
mpw_slot_t *mpw_slot_for(cwt_conn_t *conn);
/** Sends what lies in the slot behind the head, as a numbered request. Locked. */
int mpw_send(cwt_conn_t *conn, mpw_slot_t *slot, size_t nbytes, uint8_t flags);
/** The same without a number of its own, and never waited for. Locked. */
int mpw_send_unnumbered(cwt_conn_t *conn, mpw_slot_t *slot, size_t nbytes, uint8_t flags);
/** MPW_ASK_ACK where no other request is under way. Locked. */
uint8_t mpw_single_flag(const cwt_conn_t *conn);
/** Answers, and a round of waiting when there are none. Locked; not while it waits. */
int mpw_wait_answers(cwt_client_t *client, mpw_patience_t *patience);
/** All requests sent have been executed. Locked, but for the waiting. */
int mpw_await_executed(cwt_conn_t *conn);
/** Waits, with patience, for an answer of the server. */
int mpw_await_server(cwt_conn_t *conn);
/** Asks the server to poll for a while: where the target's processor moves the data of puts and
 *  gets, a server that naps would let each of them wait. Never waits. */
void mpw_look(cwt_conn_t *conn);

// choice.c
/** Decides, at the first transfer of the process, by trying both. */
mpw_way_t mpw_choose(cwt_conn_t *conn) CW_COLD;
static inline bool mpw_is_by_messages(cwt_conn_t *conn)
{
    int way = atomic_load_explicit(&mpw_world.way, memory_order_acquire);
    return (CW_UNLIKELY(way == MPW_UNDECIDED) ? (int)mpw_choose(conn) : way) == MPW_BY_MESSAGES;
}

// move.c: transfers by messages. Not locked.
typedef enum mpw_until { MPW_BEGUN, MPW_REUSABLE, MPW_COMPLETE } mpw_until_t;
int mpw_move_put(cwt_conn_t *conn, uint64_t offset, const void *src, size_t nbytes,
                 mpw_until_t until);
int mpw_move_get(cwt_conn_t *conn, uint64_t offset, void *dst, size_t nbytes);
/** Not waited for; landed, which may be NULL, says when it has landed. */
int mpw_move_get_begin(cwt_conn_t *conn, uint64_t offset, void *dst, size_t nbytes,
                       cwt_reply_t *landed);
/** MPW_ASK_LOOK where more is to come, as far as can be known, and the server may nap. Locked. */
uint8_t mpw_traffic_flag(cwt_conn_t *conn);
/** Those that have ended; their number, or an error. Locked. */
int mpw_reap_transfers(cwt_client_t *client);
/** Is one of the connection (NULL: of all) under way, up to that number: a put, or also a get?
 *  Locked. */
bool mpw_has_transfers(const cwt_client_t *client, const cwt_conn_t *conn, uint64_t number,
                       bool puts_only);
/** Until none that has begun is under way. Locked, but for the waiting. */
int mpw_await_transfers(cwt_client_t *client, const cwt_conn_t *conn, bool puts_only);
/** Frees what is remembered of transfers. */
void mpw_forget_transfers(cwt_client_t *client);

// answer.c
/** Takes the answers that have come; their number, or an error. Locked. */
int mpw_take_answers(cwt_client_t *client);
/** The id of a reply to be awaited, or 0: no memory. Locked. */
uint64_t mpw_pending_take(cwt_conn_t *conn, cwt_reply_t *reply);

// patience.c
/** Not locked. */
void mpw_wait_round(cwt_client_t *client, mpw_patience_t *patience, int events);

#endif
