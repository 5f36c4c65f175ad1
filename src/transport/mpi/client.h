// SPDX-License-Identifier: BSD-3-Clause
//
// A client of the MPI transport and its connections, private to the files of this room.
//
// Puts are MPI_Put; small ones from a ring of copies, so that they return at once. A connection
// counts them, and how many a flush has covered, so a thread that flushes does not hide puts from
// one that looks meanwhile. Requests have numbers; answers say how far they have been executed.
// The lock guards all but the counts of puts. MPI_Put, MPI_Get and flushes are called without it.
#ifndef CWT_MPI_CLIENT_H
#define CWT_MPI_CLIENT_H

#include <stdatomic.h>

#include "base/lock.h"
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
};

/** A reply that is awaited; its id is its index + 1 and the number of its use. */
typedef struct mpw_pending {
    cwt_reply_t *reply;
    cwt_conn_t *conn;
    uint32_t use;
    int32_t next;  // free ones
} mpw_pending_t;

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
    uint16_t notified;
};

struct cwt_client {
    cwt_client_config_t config;
    cwu_lock_t lock;
    uint16_t tag, nonce;
    int error;
    cwt_conn_t *conns;
    mpw_sender_t sender;
    mpw_pending_t *pending;
    int32_t npending, free_pending;
    uint8_t *ring;
    size_t ring_used;
    cwt_stats_t stats;
    _Alignas(8) uint8_t message[MPW_WIRE_MOST];
};

/** A waiting loop: poll, then yield, then sleep a little. */
typedef struct mpw_patience {
    uint32_t rounds;
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
/** All puts and gets on the connection are complete. Not locked. */
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

/** Waits, with patience, for an answer of the server. */
int mpw_await_server(cwt_conn_t *conn);
/** Asks the server to poll for a while: where the target's processor moves the data of puts and
 *  gets, a server that naps would let each of them wait. Never waits. */
void mpw_look(cwt_conn_t *conn);

// answer.c
/** Takes the answers that have come; their number, or an error. Locked. */
int mpw_take_answers(cwt_client_t *client);
/** The id of a reply to be awaited, or 0: no memory. Locked. */
uint64_t mpw_pending_take(cwt_conn_t *conn, cwt_reply_t *reply);

// patience.c
void mpw_wait_round(cwt_client_t *client, mpw_patience_t *patience, int events);

#endif
