// SPDX-License-Identifier: BSD-3-Clause
//
// The transport that stands before the real one and uses all the freedom of the contract
// (CAUSEWAY_DELAY): the table of operations. Puts, non-blocking gets, requests and fences may be
// held back (queue.c); every operation may start late; progress may pause for a while, on both
// sides. A program that fails under it relies on more than the contract promises.
#include "delay.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"

#define MAX_US 1000000u

delay_setup_t delay_setup;

static delay_client_t *client_of(cwt_client_t *client)
{
    return (delay_client_t *)(void *)client;
}

static delay_conn_t *conn_of(cwt_conn_t *conn)
{
    return (delay_conn_t *)(void *)conn;
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
    delay_setup.seed = seed;
    delay_setup.max_ns = us * 1000;
    return 0;
}

int cwt_delay_wrap(const cwt_ops_t *real, const cwt_delay_config_t *config, const cwt_ops_t **ops_p)
{
    int rc = parse(config->spec, config->job);
    if (rc)
        return rc;
    delay_setup.real = real;
    delay_setup.pe = config->pe;
    free(delay_setup.log_path);
    delay_setup.log_path = config->log ? strdup(config->log) : NULL;
    if (config->pe == 0)
        fprintf(stderr,
                "causeway: delay: seed %llu, up to %llu us: transfers between nodes come late at "
                "random\n",
                (unsigned long long)delay_setup.seed,
                (unsigned long long)(delay_setup.max_ns / 1000));
    *ops_p = &cwt_delay;
    return 0;
}

// ---------------------------------------------------------------- entering

static uint64_t stream(uint64_t kind, uint64_t number)
{
    uint64_t state =
        delay_setup.seed * 0x100000001b3u + (uint64_t)delay_setup.pe * 65536 + kind * 256 + number;
    return delay_random(&state);
}

static void sleep_ns(uint64_t ns)
{
    struct timespec ts = {(time_t)(ns / 1000000000u), (long)(ns % 1000000000u)};
    nanosleep(&ts, NULL);
}

/** Every operation begins here, some of them late. Returns the error of one that was delivered
 *  meanwhile. */
static int enter(delay_client_t *client)
{
    pthread_mutex_lock(&client->lock);
    client->totals.operations++;
    if (delay_one_in(&client->random, 32)) {
        uint64_t ns = delay_random(&client->random) % (delay_setup.max_ns / 2 + 1);
        pthread_mutex_unlock(&client->lock);
        sleep_ns(ns);
        pthread_mutex_lock(&client->lock);
    }
    return client->error;
}

static int leave(delay_client_t *client, int rc)
{
    pthread_mutex_unlock(&client->lock);
    return rc;
}

// ---------------------------------------------------------------- client

static void delay_expect_load(void)
{
    delay_setup.real->expect_load();
}

static int delay_load(bool one_machine)
{
    return delay_setup.real->load(one_machine);
}

static bool delay_one_client(void)
{
    return delay_setup.real->one_client();
}

static size_t delay_inject_most(void)
{
    return delay_setup.real->inject_most();
}

static int delay_open(const cwt_client_config_t *config, cwt_client_t **client_p)
{
    static _Atomic uint32_t number;
    delay_client_t *client = calloc(1, sizeof *client);
    if (!client)
        return CW_ENOMEM;
    int rc = delay_setup.real->open(config, &client->real);
    if (rc) {
        free(client);
        return rc;
    }
    pthread_mutex_init(&client->lock, NULL);
    client->pe = config->pe;
    client->random = stream(1, atomic_fetch_add(&number, 1));
    rc = delay_courier_join(client);
    if (rc) {
        delay_setup.real->close(client->real);
        free(client);
        return rc;
    }
    *client_p = (cwt_client_t *)(void *)client;
    return 0;
}

static int delay_connect(cwt_client_t *c, int node, const void *blob, size_t nbytes,
                         cwt_conn_t **conn_p)
{
    delay_client_t *client = client_of(c);
    delay_conn_t *conn = calloc(1, sizeof *conn);
    if (!conn)
        return CW_ENOMEM;
    int rc = enter(client);
    if (rc == 0)
        rc = delay_setup.real->connect(client->real, node, blob, nbytes, &conn->real);
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

static int put_locked(delay_conn_t *conn, uint64_t offset, const void *src, size_t nbytes, bool nbi)
{
    delay_client_t *client = conn->client;
    if (nbytes && (!delay_may_overtake(conn, DELAY_PUT) || delay_one_in(&client->random, 2))) {
        delay_held_t put = {
            .kind = DELAY_PUT, .offset = offset, .src = src, .nbytes = nbytes, .nbi = nbi};
        return delay_hold(conn, &put, nbi ? 0 : nbytes);
    }
    client->totals.overtaken += conn->first != NULL;
    delay_log(conn, "put", offset, nbytes, 0);
    return delay_setup.real->put(conn->real, offset, src, nbytes, nbi);
}

static int delay_put(cwt_conn_t *c, uint64_t offset, const void *src, size_t nbytes, bool nbi)
{
    delay_conn_t *conn = conn_of(c);
    int rc = enter(conn->client);
    return leave(conn->client, rc ? rc : put_locked(conn, offset, src, nbytes, nbi));
}

/** It may overtake what is held: the contract promises no order for it. */
static int put_complete_locked(delay_conn_t *conn, uint64_t offset, const void *src, size_t nbytes)
{
    int rc = delay_one_in(&conn->client->random, 2) ? delay_release_all(conn) : 0;
    delay_log(conn, "put complete", offset, nbytes, 0);
    return rc ? rc : delay_setup.real->put_complete(conn->real, offset, src, nbytes);
}

static int delay_put_complete(cwt_conn_t *c, uint64_t offset, const void *src, size_t nbytes)
{
    delay_conn_t *conn = conn_of(c);
    int rc = enter(conn->client);
    return leave(conn->client, rc ? rc : put_complete_locked(conn, offset, src, nbytes));
}

/** Called by the inlined scalar puts: ep is the target record, addr an offset of the node object.
 */
static ssize_t delay_inject(void *ep, const void *buf, size_t nbytes, uint64_t fabric_addr,
                            uint64_t addr, uint64_t key)
{
    cwt_target_t *target = ep;
    delay_conn_t *conn = conn_of(target->conn);
    (void)fabric_addr, (void)key;
    int rc = enter(conn->client);
    return leave(conn->client, rc ? rc : put_locked(conn, addr, buf, nbytes, false));
}

static int delay_target(cwt_conn_t *c, uint32_t slot, uint64_t slice_delta, cwt_target_t *target)
{
    delay_conn_t *conn = conn_of(c);
    delay_target_t *behind = malloc(sizeof *behind);
    if (!behind)
        return CW_ENOMEM;
    int rc = enter(conn->client);
    if (rc == 0)
        rc = delay_setup.real->target(conn->real, slot, slice_delta, &behind->real);
    if (rc == 0) {
        behind->next = conn->targets;
        conn->targets = behind;
        *target = (cwt_target_t){.inject = delay_inject,
                                 .ep = target,
                                 .conn = c,
                                 .base = slice_delta,
                                 .offset = slice_delta};
    } else {
        free(behind);
    }
    return leave(conn->client, rc);
}

static int get_locked(delay_conn_t *conn, uint64_t offset, void *dst, size_t nbytes, bool nbi)
{
    if (nbi && nbytes && delay_one_in(&conn->client->random, 2)) {
        delay_held_t get = {
            .kind = DELAY_GET, .offset = offset, .dst = dst, .nbytes = nbytes, .nbi = true};
        return delay_hold(conn, &get, 0);
    }
    delay_log(conn, "get", offset, nbytes, 0);
    return delay_setup.real->get(conn->real, offset, dst, nbytes, nbi);
}

static int delay_get(cwt_conn_t *c, uint64_t offset, void *dst, size_t nbytes, bool nbi)
{
    delay_conn_t *conn = conn_of(c);
    int rc = enter(conn->client);
    return leave(conn->client, rc ? rc : get_locked(conn, offset, dst, nbytes, nbi));
}

static int request_locked(delay_conn_t *conn, cwt_header_t *msg, size_t nbytes, cwt_reply_t *reply)
{
    if (!delay_may_overtake(conn, DELAY_REQUEST) || delay_one_in(&conn->client->random, 2)) {
        if (reply)
            reply->done = 0;
        delay_held_t request = {
            .kind = DELAY_REQUEST, .src = msg, .nbytes = nbytes, .reply = reply};
        return delay_hold(conn, &request, nbytes);
    }
    delay_log(conn, "request", 0, nbytes, 0);
    return delay_setup.real->request(conn->real, msg, nbytes, reply);
}

static int delay_request(cwt_conn_t *c, cwt_header_t *msg, size_t nbytes, cwt_reply_t *reply)
{
    delay_conn_t *conn = conn_of(c);
    int rc = enter(conn->client);
    return leave(conn->client, rc ? rc : request_locked(conn, msg, nbytes, reply));
}

static int message_locked(delay_conn_t *conn, cwt_header_t *msg, size_t nbytes, const void *payload,
                          size_t payload_nbytes)
{
    _Alignas(8) unsigned char whole[CWT_MESSAGE_MAX];
    if (payload_nbytes == 0 || nbytes + payload_nbytes > sizeof whole)
        // too long: the real transport refuses it
        return request_locked(conn, msg, nbytes + payload_nbytes, NULL);
    memcpy(whole, msg, nbytes);
    memcpy(whole + nbytes, payload, payload_nbytes);
    return request_locked(conn, (cwt_header_t *)(void *)whole, nbytes + payload_nbytes, NULL);
}

static int delay_message(cwt_conn_t *c, cwt_header_t *msg, size_t nbytes, const void *payload,
                         size_t payload_nbytes)
{
    delay_conn_t *conn = conn_of(c);
    int rc = enter(conn->client);
    return leave(conn->client,
                 rc ? rc : message_locked(conn, msg, nbytes, payload, payload_nbytes));
}

static int delay_put_message(cwt_conn_t *c, uint64_t offset, const void *src, size_t nbytes,
                             bool nbi, cwt_header_t *msg, size_t msg_nbytes)
{
    delay_conn_t *conn = conn_of(c);
    int rc = enter(conn->client);
    if (rc == 0)
        rc = put_locked(conn, offset, src, nbytes, nbi);
    return leave(conn->client, rc ? rc : request_locked(conn, msg, msg_nbytes, NULL));
}

static int delay_wait(cwt_client_t *c, cwt_reply_t *reply)
{
    delay_client_t *client = client_of(c);
    int rc = enter(client);
    if (rc == 0 && delay_release_reply(client, reply))
        rc = client->error;
    return leave(client, rc ? rc : delay_setup.real->wait(client->real, reply));
}

/** The contract has no order of native atomics and puts: all that is held goes first, and the real
 *  transport drains it. */
static int delay_amo(cwt_conn_t *c, uint64_t offset, int op, int nbytes, uint64_t operand,
                     uint64_t compare, uint64_t *old_p)
{
    delay_conn_t *conn = conn_of(c);
    int rc = enter(conn->client);
    if (rc == 0)
        rc = delay_release_all(conn);
    return leave(
        conn->client,
        rc ? rc : delay_setup.real->amo(conn->real, offset, op, nbytes, operand, compare, old_p));
}

static int release_all(delay_client_t *client)
{
    int result = 0;
    for (delay_conn_t *conn = client->conns; conn; conn = conn->next) {
        int rc = delay_release_all(conn);
        result = result ? result : rc;
    }
    return result;
}

static int delay_quiet(cwt_client_t *c)
{
    delay_client_t *client = client_of(c);
    int rc = enter(client);
    if (rc == 0)
        rc = release_all(client);
    return leave(client, rc ? rc : delay_setup.real->quiet(client->real));
}

/** Marks what is held; the real client begins its quiet when that has been delivered. */
static int delay_quiet_begin(cwt_client_t *c)
{
    delay_client_t *client = client_of(c);
    int rc = enter(client);
    client->behind = false;
    for (delay_conn_t *conn = client->conns; conn; conn = conn->next)
        for (delay_held_t *h = conn->first; h; h = h->next)
            h->awaited = true;
    return leave(client, rc ? rc : 1);
}

static bool holds_awaited(const delay_client_t *client)
{
    for (const delay_conn_t *conn = client->conns; conn; conn = conn->next)
        for (const delay_held_t *h = conn->first; h; h = h->next)
            if (h->awaited)
                return true;
    return false;
}

static int delay_quiet_over(cwt_client_t *c)
{
    delay_client_t *client = client_of(c);
    int rc = enter(client);
    if (rc == 0 && !holds_awaited(client)) {
        if (client->behind) {
            rc = delay_setup.real->quiet_over(client->real);
        } else {
            rc = delay_setup.real->quiet_begin(client->real);
            client->behind = rc == 1;
            rc = rc == 1 ? 0 : rc;
        }
    }
    return leave(client, rc);
}

/** On connections with operations held the fence waits in the queue; on the others it is done now.
 */
static int delay_fence(cwt_client_t *c)
{
    delay_client_t *client = client_of(c);
    int rc = enter(client);
    bool now = false;
    for (delay_conn_t *conn = client->conns; conn && rc == 0; conn = conn->next) {
        if (conn->first)
            rc = delay_hold(conn, &(delay_held_t){.kind = DELAY_FENCE}, 0);
        else
            now = true;
    }
    return leave(client, rc || !now ? rc : delay_setup.real->fence(client->real));
}

static int delay_progress(cwt_client_t *c)
{
    delay_client_t *client = client_of(c);
    pthread_mutex_lock(&client->lock);
    uint64_t now = cwu_now_ns();
    if (now < client->blind_until_ns)
        return leave(client, client->error);
    if (delay_one_in(&client->random, 64))
        client->blind_until_ns = now + delay_random(&client->random) % delay_setup.max_ns;
    int rc = client->error;
    return leave(client, rc ? rc : delay_setup.real->progress(client->real));
}

/** Pauses now and then, as progress does. */
static int delay_poll(cwt_client_t *c)
{
    delay_client_t *client = client_of(c);
    pthread_mutex_lock(&client->lock);
    uint64_t now = cwu_now_ns();
    return leave(client, now < client->blind_until_ns ? 0 : delay_setup.real->poll(client->real));
}

static void delay_stats(const cwt_client_t *c, cwt_stats_t *stats_p)
{
    const delay_client_t *client = (const delay_client_t *)(const void *)c;
    delay_setup.real->stats(client->real, stats_p);
}

static void say_totals(const delay_client_t *client)
{
    const delay_totals_t *t = &client->totals;
    if (t->operations)
        fprintf(stderr,
                "causeway: delay: PE %d: seed %llu: %llu operations, %llu held back (the longest "
                "%.2f ms), %llu overtook "
                "others\n",
                client->pe, (unsigned long long)delay_setup.seed, (unsigned long long)t->operations,
                (unsigned long long)t->held, (double)t->longest_ns / 1e6,
                (unsigned long long)t->overtaken);
}

static void delay_close(cwt_client_t *c)
{
    delay_client_t *client = client_of(c);
    delay_courier_leave(client);
    pthread_mutex_lock(&client->lock);
    release_all(client);  // nothing is held after a quiet
    delay_setup.real->close(client->real);
    say_totals(client);
    pthread_mutex_unlock(&client->lock);
    while (client->conns) {
        delay_conn_t *conn = client->conns;
        client->conns = conn->next;
        while (conn->targets) {
            delay_target_t *t = conn->targets;
            conn->targets = t->next;
            free(t);
        }
        free(conn);
    }
    pthread_mutex_destroy(&client->lock);
    free(client);
}

// ---------------------------------------------- server: the real one, which pauses now and then

static struct {
    uint64_t random;                  // of the thread that makes progress
    _Atomic uint64_t blind_until_ns;  // read by block too
} watch;

static int delay_server_open(const cwt_server_config_t *config, cwt_server_t **server_p)
{
    watch.random = stream(2, 0);
    return delay_setup.real->server_open(config, server_p);
}

static int delay_server_address(cwt_server_t *server, void *blob, size_t *nbytes_p)
{
    return delay_setup.real->server_address(server, blob, nbytes_p);
}

static void delay_server_secret(cwt_server_t *server, const uint8_t secret[CWT_SECRET_BYTES])
{
    delay_setup.real->server_secret(server, secret);
}

static int delay_server_progress(cwt_server_t *server)
{
    uint64_t now = cwu_now_ns();
    if (now < watch.blind_until_ns)
        return 0;
    if (delay_one_in(&watch.random, 256))
        watch.blind_until_ns = now + delay_random(&watch.random) % delay_setup.max_ns;
    return delay_setup.real->server_progress(server);
}

static bool delay_server_may_block(cwt_server_t *server)
{
    return delay_setup.real->server_may_block(server);
}

static int delay_server_block(cwt_server_t *server, uint64_t timeout_ns)
{
    uint64_t now = cwu_now_ns(), until = watch.blind_until_ns;
    if (now < until) {  // if traffic waits, the real block would return at once, again and again
        sleep_ns(until - now < timeout_ns ? until - now : timeout_ns);
        return 0;
    }
    return delay_setup.real->server_block(server, timeout_ns);
}

static void delay_server_wake(cwt_server_t *server)
{
    delay_setup.real->server_wake(server);
}

static int delay_server_reply(cwt_from_t *from, const void *payload, size_t nbytes)
{
    return delay_setup.real->server_reply(from, payload, nbytes);
}

static uint64_t delay_server_origin(const cwt_from_t *from)
{
    return delay_setup.real->server_origin(from);
}

/** Takes every second notification, at random, so that notifications overtake other messages and
 *  are overtaken. */
static int delay_server_notify(cwt_server_t *server, uint64_t origin, const void *head,
                               size_t head_nbytes, const void *payload, size_t payload_nbytes)
{
    if (delay_one_in(&watch.random, 2))
        return CW_EAGAIN;
    return delay_setup.real->server_tell(server, origin, head, head_nbytes, payload,
                                         payload_nbytes);
}

static void delay_server_stats(const cwt_server_t *server, cwt_stats_t *stats_p)
{
    delay_setup.real->server_stats(server, stats_p);
}

static void delay_server_close(cwt_server_t *server)
{
    delay_setup.real->server_close(server);
}

const cwt_ops_t cwt_delay = {
    .name = "delay",
    .expect_load = delay_expect_load,
    .load = delay_load,
    .one_client = delay_one_client,
    .inject_most = delay_inject_most,
    .server_open = delay_server_open,
    .server_address = delay_server_address,
    .server_secret = delay_server_secret,
    .server_progress = delay_server_progress,
    .server_may_block = delay_server_may_block,
    .server_block = delay_server_block,
    .server_wake = delay_server_wake,
    .server_reply = delay_server_reply,
    .server_origin = delay_server_origin,
    .server_tell = delay_server_notify,
    .server_stats = delay_server_stats,
    .server_close = delay_server_close,
    .open = delay_open,
    .connect = delay_connect,
    .target = delay_target,
    .put = delay_put,
    .put_complete = delay_put_complete,
    .get = delay_get,
    .request = delay_request,
    .message = delay_message,
    .put_message = delay_put_message,
    .wait = delay_wait,
    .amo = delay_amo,
    .quiet = delay_quiet,
    .quiet_begin = delay_quiet_begin,
    .quiet_over = delay_quiet_over,
    .fence = delay_fence,
    .progress = delay_progress,
    .poll = delay_poll,
    .stats = delay_stats,
    .close = delay_close,
};
