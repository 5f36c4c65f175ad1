// SPDX-License-Identifier: BSD-3-Clause
//
// Internals of the delaying transport: what its files share.
//
// Every operation of a client passes here before it reaches the real transport. It is passed on at
// once, or held back until it is due, until an operation that must come behind it is called, or
// until quiet. Each connection has a queue of what is held, in the order of the calls.
// Threads: each client has a lock that every entry takes, whatever the thread level, because the
// courier (queue.c), a thread that delivers what is due, is a second user of the client. Lock
// order: the list of clients, then a client.
#ifndef CW_TRANSPORT_DELAY_H
#define CW_TRANSPORT_DELAY_H

#include <pthread.h>
#include <stdatomic.h>

#include "transport/table.h"

extern const cwt_ops_t cwt_delay;
/** Stands between its caller and `real`. Once a process. CW_EINVAL (reported): the spec is no spec.
 */
int cwt_delay_wrap(const cwt_ops_t *real, const cwt_delay_config_t *config,
                   const cwt_ops_t **ops_p);

typedef enum delay_kind { DELAY_PUT, DELAY_GET, DELAY_REQUEST, DELAY_FENCE } delay_kind_t;

/** One operation held back. A blocking put or a request has a copy of its bytes; a non-blocking put
 *  reads the user's memory when it is delivered, so that a source reused too early shows. */
typedef struct delay_held {
    struct delay_held *next;
    delay_kind_t kind;
    bool nbi;
    bool awaited;  // by a quiet in two steps
    uint64_t since_ns, due_ns;
    uint64_t offset;
    const void *src;
    void *dst;
    size_t nbytes;
    cwt_reply_t *reply;
    _Alignas(16) unsigned char bytes[];
} delay_held_t;

/** A record that the real transport fills, and again whenever its connection changes. The caller's
 *  record leads here. */
typedef struct delay_target {
    cwt_target_t real;
    struct delay_target *next;
} delay_target_t;

typedef struct delay_conn {
    cwt_channel_t channel;  // all zero: every message goes through ops->message
    struct delay_client *client;
    struct delay_conn *next;
    cwt_conn_t *real;
    delay_target_t *targets;
    int node;
    delay_held_t *first, **end;
    uint32_t count;
} delay_conn_t;

/** Counts for the line at the end. */
typedef struct delay_totals {
    uint64_t operations, held, overtaken, longest_ns;
} delay_totals_t;

typedef struct delay_client {
    // guards all below, and the real client, which is left alone in waits where it is shared
    pthread_mutex_t lock;
    struct delay_client *next;
    cwt_client_t *real;
    delay_conn_t *conns;
    uint64_t random;
    uint64_t blind_until_ns;  // progress does nothing until then
    int pe;
    bool shared;  // the real client takes calls of several threads
    int error;    // of an operation delivered late
    bool behind;  // the real client has begun its quiet in two steps, too
    delay_totals_t totals;
} delay_client_t;

/** The settings, once a process. */
typedef struct delay_setup {
    const cwt_ops_t *real;
    uint64_t seed, max_ns;
    int pe;
    char *log_path;
} delay_setup_t;
extern delay_setup_t delay_setup;

static inline uint64_t delay_random(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;  // splitmix64
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static inline bool delay_one_in(uint64_t *state, uint32_t n)
{
    return delay_random(state) % n == 0;
}

// ------------------------------------------ queue.c; the client's lock is held in all but the last
/** May an operation of this kind be passed on at once, ahead of all that is held on the connection?
 */
bool delay_may_overtake(const delay_conn_t *conn, delay_kind_t kind);
/** Puts it into the queue, with a copy of `copy` bytes of src, and draws when it is due. 0 or
 *  CW_ENOMEM. */
int delay_hold(delay_conn_t *conn, const delay_held_t *what, size_t copy);
/** Delivers everything held on the connection, in some order that the contract allows. */
int delay_release_all(delay_conn_t *conn);
/** Delivers until the request or get of this reply is sent; false: it is not held. */
bool delay_release_reply(delay_client_t *client, const cwt_reply_t *reply);
/** Writes a row of the log, if there is one. */
void delay_log(const delay_conn_t *conn, const char *what, uint64_t offset, size_t nbytes,
               uint64_t held_ns);
/** Adds the client to the courier's list, and removes it. */
int delay_courier_join(delay_client_t *client);
void delay_courier_leave(delay_client_t *client);

// ---------------------------------------------------------------- delay.c
/** A number drawn from the seed, this PE, a kind of stream and its number. */
uint64_t delay_stream(uint64_t kind, uint64_t number);

// ---------------------------------------------------------------- client.c: entries of the table
int delay_open(const cwt_client_config_t *config, cwt_client_t **client_p);
int delay_connect(cwt_client_t *c, int node, const void *blob, size_t nbytes, cwt_conn_t **conn_p);
int delay_put(cwt_conn_t *c, uint64_t offset, const void *src, size_t nbytes, bool nbi);
int delay_put_complete(cwt_conn_t *c, uint64_t offset, const void *src, size_t nbytes);
int delay_target(cwt_conn_t *c, uint32_t slot, uint64_t slice_delta, cwt_target_t *target);
int delay_get(cwt_conn_t *c, uint64_t offset, void *dst, size_t nbytes, bool nbi);
int delay_get_begin(cwt_conn_t *c, uint64_t offset, void *dst, size_t nbytes, cwt_reply_t *landed);
int delay_release(cwt_conn_t *c, uint64_t offset, uint64_t nbytes);
int delay_request(cwt_conn_t *c, cwt_header_t *msg, size_t nbytes, cwt_reply_t *reply);
int delay_message(cwt_conn_t *c, cwt_header_t *msg, size_t nbytes, const void *payload,
                  size_t payload_nbytes);
int delay_try_message(cwt_conn_t *c, cwt_header_t *msg, size_t nbytes, const void *payload,
                      size_t payload_nbytes);
int delay_put_message(cwt_conn_t *c, uint64_t offset, const void *src, size_t nbytes, bool nbi,
                      cwt_header_t *msg, size_t msg_nbytes);
int delay_wait(cwt_client_t *c, cwt_reply_t *reply);
int delay_amo(cwt_conn_t *c, uint64_t offset, int op, int nbytes, uint64_t operand,
              uint64_t compare, uint64_t *old_p);
int delay_quiet(cwt_client_t *c);
int delay_quiet_begin(cwt_client_t *c);
int delay_quiet_test(cwt_client_t *c);
int delay_fence(cwt_client_t *c);
int delay_progress(cwt_client_t *c);
int delay_poll(cwt_client_t *c);
void delay_stats(const cwt_client_t *c, cwt_stats_t *stats_p);
void delay_close(cwt_client_t *c);

/** The client behind it. */
cwt_client_t *delay_real_client(cwt_client_t *c);

// ---------------------------------------------------------------- server.c: entries of the table
int delay_server_open(const cwt_server_config_t *config, cwt_server_t **server_p);
int delay_server_address(cwt_server_t *server, void *blob, size_t *nbytes_p);
int delay_server_secret(cwt_server_t *server, const uint8_t secret[CWT_SECRET_BYTES]);
int delay_server_progress(cwt_server_t *server);
bool delay_server_may_block(cwt_server_t *server);
int delay_server_block(cwt_server_t *server, uint64_t timeout_ns);
void delay_server_wake(cwt_server_t *server);
int delay_server_reply(cwt_from_t *from, const void *payload, size_t nbytes);
uint64_t delay_server_origin(const cwt_from_t *from);
uint32_t delay_server_pe(const cwt_from_t *from);
void delay_server_attach(cwt_server_t *server, cwt_client_t *client);
int delay_server_notify(cwt_server_t *server, uint64_t origin, const void *head, size_t head_nbytes,
                        const void *payload, size_t payload_nbytes);
void delay_server_stats(const cwt_server_t *server, cwt_stats_t *stats_p);
void delay_server_close(cwt_server_t *server);

#endif
