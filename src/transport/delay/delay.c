// SPDX-License-Identifier: BSD-3-Clause
//
// The transport that stands before the real one and misbehaves as far as the contract allows
// (CAUSEWAY_DELAY): the table of operations. Puts, non-blocking gets, requests and fences may be
// held back (queue.c); everything may start late; progress may look away for a while, on both
// sides. What comes out wrong is a fault of whoever relied on more than the contract says.
#include "delay.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"

#define MAX_US 1000000u

trace_setup_t trace_setup;

static trace_client_t *client_of(cwt_client_t *client)
{
    return (trace_client_t *)(void *)client;
}

static trace_conn_t *conn_of(cwt_conn_t *conn)
{
    return (trace_conn_t *)(void *)conn;
}

// ---------------------------------------------------------------- settings

/** "SEED:MICROSECONDS"; seed 0 draws one from `job`, the same on all PEs. */
static int parse(const char *spec, const char *job)
{
    char *end, *end_us = NULL;
    errno = 0;
    uint64_t seed = strtoull(spec, &end, 10);
    uint64_t us = *end == ':' ? strtoull(end + 1, &end_us, 10) : 0;
    if (errno || end == spec || *end != ':' || end_us == end + 1 || *end_us || us == 0 ||
        us > MAX_US) {
        cwu_error("CAUSEWAY_DELAY=\"%s\": give SEED:MICROSECONDS, two whole numbers, the second "
                  "from 1 to %u",
                  spec, MAX_US);
        return CW_EINVAL;
    }
    if (seed == 0) {
        for (seed = 14695981039346656037u; *job; job++)
            seed = (seed ^ (unsigned char)*job) * 1099511628211u;  // FNV-1a
        seed = seed % 1000000 + 1;
    }
    trace_setup.seed = seed;
    trace_setup.max_ns = us * 1000;
    return 0;
}

int cwt_delay_wrap(const cwt_ops_t *real, const cwt_delay_config_t *config, const cwt_ops_t **ops_p)
{
    int rc = parse(config->spec, config->job);
    if (rc)
        return rc;
    trace_setup.real = real;
    trace_setup.pe = config->pe;
    free(trace_setup.log_path);
    trace_setup.log_path = config->log ? strdup(config->log) : NULL;
    if (config->pe == 0)
        fprintf(stderr,
                "causeway: delay: seed %llu, up to %llu us: transfers between nodes come late at "
                "random\n",
                (unsigned long long)trace_setup.seed,
                (unsigned long long)(trace_setup.max_ns / 1000));
    *ops_p = &cwt_delay;
    return 0;
}

// ---------------------------------------------------------------- entering

static uint64_t stream(uint64_t kind, uint64_t number)
{
    uint64_t state =
        trace_setup.seed * 0x100000001b3u + (uint64_t)trace_setup.pe * 65536 + kind * 256 + number;
    return trace_random(&state);
}

static void sleep_ns(uint64_t ns)
{
    struct timespec ts = {(time_t)(ns / 1000000000u), (long)(ns % 1000000000u)};
    nanosleep(&ts, NULL);
}

/** Every operation begins here: now and then late. Returns what went wrong with one that was
 *  delivered meanwhile. */
static int enter(trace_client_t *client)
{
    pthread_mutex_lock(&client->lock);
    client->totals.operations++;
    if (trace_one_in(&client->random, 32)) {
        uint64_t ns = trace_random(&client->random) % (trace_setup.max_ns / 2 + 1);
        pthread_mutex_unlock(&client->lock);
        sleep_ns(ns);
        pthread_mutex_lock(&client->lock);
    }
    return client->error;
}

static int leave(trace_client_t *client, int rc)
{
    pthread_mutex_unlock(&client->lock);
    return rc;
}

// ---------------------------------------------------------------- client

static void trace_expect_load(void)
{
    trace_setup.real->expect_load();
}

static int trace_load(bool one_machine)
{
    return trace_setup.real->load(one_machine);
}

static bool trace_one_client(void)
{
    return trace_setup.real->one_client();
}

static size_t trace_inject_most(void)
{
    return trace_setup.real->inject_most();
}

static int trace_open(const cwt_client_config_t *config, cwt_client_t **client_p)
{
    static _Atomic uint32_t number;
    trace_client_t *client = calloc(1, sizeof *client);
    if (!client)
        return CW_ENOMEM;
    int rc = trace_setup.real->open(config, &client->real);
    if (rc) {
        free(client);
        return rc;
    }
    pthread_mutex_init(&client->lock, NULL);
    client->pe = config->pe;
    client->random = stream(1, atomic_fetch_add(&number, 1));
    rc = trace_courier_join(client);
    if (rc) {
        trace_setup.real->close(client->real);
        free(client);
        return rc;
    }
    *client_p = (cwt_client_t *)(void *)client;
    return 0;
}

static int trace_connect(cwt_client_t *c, int node, const void *blob, size_t nbytes,
                         cwt_conn_t **conn_p)
{
    trace_client_t *client = client_of(c);
    trace_conn_t *conn = calloc(1, sizeof *conn);
    if (!conn)
        return CW_ENOMEM;
    int rc = enter(client);
    if (rc == 0)
        rc = trace_setup.real->connect(client->real, node, blob, nbytes, &conn->real);
    if (rc) {
        free(conn);
        return leave(client, rc);
    }
    conn->client = client;
    conn->node = node;
    conn->end = &conn->first;
    conn->next = client->conns;
    client->conns = conn;
    *conn_p = (cwt_conn_t *)(void *)conn;
    return leave(client, 0);
}

static int put_locked(trace_conn_t *conn, uint64_t offset, const void *src, size_t nbytes, bool nbi)
{
    trace_client_t *client = conn->client;
    if (nbytes && (!trace_may_overtake(conn, TRACE_PUT) || trace_one_in(&client->random, 2))) {
        trace_held_t put = {
            .kind = TRACE_PUT, .offset = offset, .src = src, .nbytes = nbytes, .nbi = nbi};
        return trace_hold(conn, &put, nbi ? 0 : nbytes);
    }
    client->totals.overtaken += conn->first != NULL;
    trace_log(conn, "put", offset, nbytes, 0);
    return trace_setup.real->put(conn->real, offset, src, nbytes, nbi);
}

static int trace_put(cwt_conn_t *c, uint64_t offset, const void *src, size_t nbytes, bool nbi)
{
    trace_conn_t *conn = conn_of(c);
    int rc = enter(conn->client);
    return leave(conn->client, rc ? rc : put_locked(conn, offset, src, nbytes, nbi));
}

/** It may overtake what is held: no order is promised to it. */
static int put_complete_locked(trace_conn_t *conn, uint64_t offset, const void *src, size_t nbytes)
{
    int rc = trace_one_in(&conn->client->random, 2) ? trace_release_all(conn) : 0;
    trace_log(conn, "put complete", offset, nbytes, 0);
    return rc ? rc : trace_setup.real->put_complete(conn->real, offset, src, nbytes);
}

static int trace_put_complete(cwt_conn_t *c, uint64_t offset, const void *src, size_t nbytes)
{
    trace_conn_t *conn = conn_of(c);
    int rc = enter(conn->client);
    return leave(conn->client, rc ? rc : put_complete_locked(conn, offset, src, nbytes));
}

/** What the inlined scalar puts call: ep is the target record, addr an offset of the node
 *  object. */
static ssize_t trace_inject(void *ep, const void *buf, size_t nbytes, uint64_t fabric_addr,
                            uint64_t addr, uint64_t key)
{
    cwt_target_t *target = ep;
    trace_conn_t *conn = conn_of(target->conn);
    (void)fabric_addr, (void)key;
    int rc = enter(conn->client);
    return leave(conn->client, rc ? rc : put_locked(conn, addr, buf, nbytes, false));
}

static int trace_target(cwt_conn_t *c, uint32_t slot, uint64_t slice_delta, cwt_target_t *target)
{
    trace_conn_t *conn = conn_of(c);
    trace_target_t *behind = malloc(sizeof *behind);
    if (!behind)
        return CW_ENOMEM;
    int rc = enter(conn->client);
    if (rc == 0)
        rc = trace_setup.real->target(conn->real, slot, slice_delta, &behind->real);
    if (rc == 0) {
        behind->next = conn->targets;
        conn->targets = behind;
        *target = (cwt_target_t){.inject = trace_inject,
                                 .ep = target,
                                 .conn = c,
                                 .base = slice_delta,
                                 .offset = slice_delta};
    } else {
        free(behind);
    }
    return leave(conn->client, rc);
}

static int get_locked(trace_conn_t *conn, uint64_t offset, void *dst, size_t nbytes, bool nbi)
{
    if (nbi && nbytes && trace_one_in(&conn->client->random, 2)) {
        trace_held_t get = {
            .kind = TRACE_GET, .offset = offset, .dst = dst, .nbytes = nbytes, .nbi = true};
        return trace_hold(conn, &get, 0);
    }
    trace_log(conn, "get", offset, nbytes, 0);
    return trace_setup.real->get(conn->real, offset, dst, nbytes, nbi);
}

static int trace_get(cwt_conn_t *c, uint64_t offset, void *dst, size_t nbytes, bool nbi)
{
    trace_conn_t *conn = conn_of(c);
    int rc = enter(conn->client);
    return leave(conn->client, rc ? rc : get_locked(conn, offset, dst, nbytes, nbi));
}

static int request_locked(trace_conn_t *conn, cwt_header_t *msg, size_t nbytes, cwt_reply_t *reply)
{
    if (!trace_may_overtake(conn, TRACE_REQUEST) || trace_one_in(&conn->client->random, 2)) {
        if (reply)
            reply->done = 0;
        trace_held_t request = {
            .kind = TRACE_REQUEST, .src = msg, .nbytes = nbytes, .reply = reply};
        return trace_hold(conn, &request, nbytes);
    }
    trace_log(conn, "request", 0, nbytes, 0);
    return trace_setup.real->request(conn->real, msg, nbytes, reply);
}

static int trace_request(cwt_conn_t *c, cwt_header_t *msg, size_t nbytes, cwt_reply_t *reply)
{
    trace_conn_t *conn = conn_of(c);
    int rc = enter(conn->client);
    return leave(conn->client, rc ? rc : request_locked(conn, msg, nbytes, reply));
}

static int message_locked(trace_conn_t *conn, cwt_header_t *msg, size_t nbytes, const void *payload,
                          size_t payload_nbytes)
{
    _Alignas(8) unsigned char whole[CWT_MESSAGE_MAX];
    if (payload_nbytes == 0 || nbytes + payload_nbytes > sizeof whole)
        // too much: the real one refuses it
        return request_locked(conn, msg, nbytes + payload_nbytes, NULL);
    memcpy(whole, msg, nbytes);
    memcpy(whole + nbytes, payload, payload_nbytes);
    return request_locked(conn, (cwt_header_t *)(void *)whole, nbytes + payload_nbytes, NULL);
}

static int trace_message(cwt_conn_t *c, cwt_header_t *msg, size_t nbytes, const void *payload,
                         size_t payload_nbytes)
{
    trace_conn_t *conn = conn_of(c);
    int rc = enter(conn->client);
    return leave(conn->client,
                 rc ? rc : message_locked(conn, msg, nbytes, payload, payload_nbytes));
}

static int trace_put_message(cwt_conn_t *c, uint64_t offset, const void *src, size_t nbytes,
                             bool nbi, cwt_header_t *msg, size_t msg_nbytes)
{
    trace_conn_t *conn = conn_of(c);
    int rc = enter(conn->client);
    if (rc == 0)
        rc = put_locked(conn, offset, src, nbytes, nbi);
    return leave(conn->client, rc ? rc : request_locked(conn, msg, msg_nbytes, NULL));
}

static int trace_wait(cwt_client_t *c, cwt_reply_t *reply)
{
    trace_client_t *client = client_of(c);
    int rc = enter(client);
    if (rc == 0 && trace_release_reply(client, reply))
        rc = client->error;
    return leave(client, rc ? rc : trace_setup.real->wait(client->real, reply));
}

/** Native atomics have no order of their own with puts: all that is held goes first, and is drained
 *  by the real one. */
static int trace_amo(cwt_conn_t *c, uint64_t offset, int op, int nbytes, uint64_t operand,
                     uint64_t compare, uint64_t *old_p)
{
    trace_conn_t *conn = conn_of(c);
    int rc = enter(conn->client);
    if (rc == 0)
        rc = trace_release_all(conn);
    return leave(
        conn->client,
        rc ? rc : trace_setup.real->amo(conn->real, offset, op, nbytes, operand, compare, old_p));
}

static bool trace_pending(cwt_client_t *c)
{
    trace_client_t *client = client_of(c);
    pthread_mutex_lock(&client->lock);
    bool held = trace_setup.real->pending(client->real);
    for (const trace_conn_t *conn = client->conns; conn; conn = conn->next)
        held = held || conn->first;
    pthread_mutex_unlock(&client->lock);
    return held;
}

static int release_all(trace_client_t *client)
{
    int result = 0;
    for (trace_conn_t *conn = client->conns; conn; conn = conn->next) {
        int rc = trace_release_all(conn);
        result = result ? result : rc;
    }
    return result;
}

static int trace_quiet(cwt_client_t *c)
{
    trace_client_t *client = client_of(c);
    int rc = enter(client);
    if (rc == 0)
        rc = release_all(client);
    return leave(client, rc ? rc : trace_setup.real->quiet(client->real));
}

/** Begins here; what is held takes its time, and then the real client begins. */
static int trace_quiet_begin(cwt_client_t *c)
{
    trace_client_t *client = client_of(c);
    int rc = enter(client);
    client->behind = false;
    for (trace_conn_t *conn = client->conns; conn; conn = conn->next)
        for (trace_held_t *h = conn->first; h; h = h->next)
            h->awaited = true;
    return leave(client, rc ? rc : 1);
}

static bool holds_awaited(const trace_client_t *client)
{
    for (const trace_conn_t *conn = client->conns; conn; conn = conn->next)
        for (const trace_held_t *h = conn->first; h; h = h->next)
            if (h->awaited)
                return true;
    return false;
}

static int trace_quiet_over(cwt_client_t *c)
{
    trace_client_t *client = client_of(c);
    int rc = enter(client);
    if (rc == 0 && !holds_awaited(client)) {
        if (client->behind) {
            rc = trace_setup.real->quiet_over(client->real);
        } else {
            rc = trace_setup.real->quiet_begin(client->real);
            client->behind = rc == 1;
            rc = rc == 1 ? 0 : rc;
        }
    }
    return leave(client, rc);
}

/** Where something is held the fence waits in the queue; the other connections have theirs now. */
static int trace_fence(cwt_client_t *c)
{
    trace_client_t *client = client_of(c);
    int rc = enter(client);
    bool now = false;
    for (trace_conn_t *conn = client->conns; conn && rc == 0; conn = conn->next) {
        if (conn->first)
            rc = trace_hold(conn, &(trace_held_t){.kind = TRACE_FENCE}, 0);
        else
            now = true;
    }
    return leave(client, rc || !now ? rc : trace_setup.real->fence(client->real));
}

static int trace_progress(cwt_client_t *c)
{
    trace_client_t *client = client_of(c);
    pthread_mutex_lock(&client->lock);
    uint64_t now = cwu_now_ns();
    if (now < client->blind_until_ns)
        return leave(client, client->error);
    if (trace_one_in(&client->random, 64))
        client->blind_until_ns = now + trace_random(&client->random) % trace_setup.max_ns;
    int rc = client->error;
    return leave(client, rc ? rc : trace_setup.real->progress(client->real));
}

/** Looks away now and then, as progress does. */
static int trace_look(cwt_client_t *c)
{
    trace_client_t *client = client_of(c);
    pthread_mutex_lock(&client->lock);
    uint64_t now = cwu_now_ns();
    return leave(client, now < client->blind_until_ns ? 0 : trace_setup.real->look(client->real));
}

static void trace_stats(const cwt_client_t *c, cwt_stats_t *stats_p)
{
    const trace_client_t *client = (const trace_client_t *)(const void *)c;
    trace_setup.real->stats(client->real, stats_p);
}

static void say_totals(const trace_client_t *client)
{
    const trace_totals_t *t = &client->totals;
    if (t->operations)
        fprintf(stderr,
                "causeway: delay: PE %d: seed %llu: %llu operations, %llu held back (the longest "
                "%.2f ms), %llu overtook "
                "others\n",
                client->pe, (unsigned long long)trace_setup.seed, (unsigned long long)t->operations,
                (unsigned long long)t->held, (double)t->longest_ns / 1e6,
                (unsigned long long)t->overtaken);
}

static void trace_close(cwt_client_t *c)
{
    trace_client_t *client = client_of(c);
    trace_courier_leave(client);
    pthread_mutex_lock(&client->lock);
    release_all(client);  // nothing is left behind a quiet; else it goes as the real one would let
                          // it go
    trace_setup.real->close(client->real);
    say_totals(client);
    pthread_mutex_unlock(&client->lock);
    while (client->conns) {
        trace_conn_t *conn = client->conns;
        client->conns = conn->next;
        while (conn->targets) {
            trace_target_t *t = conn->targets;
            conn->targets = t->next;
            free(t);
        }
        free(conn);
    }
    pthread_mutex_destroy(&client->lock);
    free(client);
}

// ---------------------------------------------- server: the real one, that now and then looks away

static struct {
    uint64_t random;                  // of the thread that makes progress
    _Atomic uint64_t blind_until_ns;  // block looks at it too
} watch;

static int trace_server_open(const cwt_server_config_t *config, cwt_server_t **server_p)
{
    watch.random = stream(2, 0);
    return trace_setup.real->server_open(config, server_p);
}

static int trace_server_address(cwt_server_t *server, void *blob, size_t *nbytes_p)
{
    return trace_setup.real->server_address(server, blob, nbytes_p);
}

static void trace_server_secret(cwt_server_t *server, const uint8_t secret[CWT_SECRET_BYTES])
{
    trace_setup.real->server_secret(server, secret);
}

static int trace_server_progress(cwt_server_t *server)
{
    uint64_t now = cwu_now_ns();
    if (now < watch.blind_until_ns)
        return 0;
    if (trace_one_in(&watch.random, 256))
        watch.blind_until_ns = now + trace_random(&watch.random) % trace_setup.max_ns;
    return trace_setup.real->server_progress(server);
}

static bool trace_server_may_block(cwt_server_t *server)
{
    return trace_setup.real->server_may_block(server);
}

static int trace_server_block(cwt_server_t *server, uint64_t timeout_ns)
{
    uint64_t now = cwu_now_ns(), until = watch.blind_until_ns;
    if (now < until) {  // traffic is waiting, perhaps: it would return at once, again and again
        sleep_ns(until - now < timeout_ns ? until - now : timeout_ns);
        return 0;
    }
    return trace_setup.real->server_block(server, timeout_ns);
}

static void trace_server_wake(cwt_server_t *server)
{
    trace_setup.real->server_wake(server);
}

static int trace_server_reply(cwt_from_t *from, const void *payload, size_t nbytes)
{
    return trace_setup.real->server_reply(from, payload, nbytes);
}

static uint64_t trace_server_origin(const cwt_from_t *from)
{
    return trace_setup.real->server_origin(from);
}

/** Every other one is not taken, so that what is told overtakes what goes another way, and is
 *  overtaken. */
static int trace_server_tell(cwt_server_t *server, uint64_t origin, const void *head,
                             size_t head_nbytes, const void *payload, size_t payload_nbytes)
{
    if (trace_one_in(&watch.random, 2))
        return CW_EAGAIN;
    return trace_setup.real->server_tell(server, origin, head, head_nbytes, payload,
                                         payload_nbytes);
}

static void trace_server_stats(const cwt_server_t *server, cwt_stats_t *stats_p)
{
    trace_setup.real->server_stats(server, stats_p);
}

static void trace_server_close(cwt_server_t *server)
{
    trace_setup.real->server_close(server);
}

const cwt_ops_t cwt_delay = {
    .name = "trace",
    .expect_load = trace_expect_load,
    .load = trace_load,
    .one_client = trace_one_client,
    .inject_most = trace_inject_most,
    .server_open = trace_server_open,
    .server_address = trace_server_address,
    .server_secret = trace_server_secret,
    .server_progress = trace_server_progress,
    .server_may_block = trace_server_may_block,
    .server_block = trace_server_block,
    .server_wake = trace_server_wake,
    .server_reply = trace_server_reply,
    .server_origin = trace_server_origin,
    .server_tell = trace_server_tell,
    .server_stats = trace_server_stats,
    .server_close = trace_server_close,
    .open = trace_open,
    .connect = trace_connect,
    .target = trace_target,
    .put = trace_put,
    .put_complete = trace_put_complete,
    .get = trace_get,
    .request = trace_request,
    .message = trace_message,
    .put_message = trace_put_message,
    .wait = trace_wait,
    .amo = trace_amo,
    .pending = trace_pending,
    .quiet = trace_quiet,
    .quiet_begin = trace_quiet_begin,
    .quiet_over = trace_quiet_over,
    .fence = trace_fence,
    .progress = trace_progress,
    .look = trace_look,
    .stats = trace_stats,
    .close = trace_close,
};
