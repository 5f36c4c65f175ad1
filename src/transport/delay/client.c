// SPDX-License-Identifier: BSD-3-Clause
//
// The client half. Puts, non-blocking gets, requests and fences may be held back (queue.c); every
// operation may start late; progress may pause for a while. A program that fails under it relies on
// more than the contract promises.
#include "delay.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/output.h"

static delay_client_t *client_of(cwt_client_t *client)
{
    return (delay_client_t *)(void *)client;
}

cwt_client_t *delay_real_client(cwt_client_t *c)
{
    return client_of(c)->real;
}

static delay_conn_t *conn_of(cwt_conn_t *conn)
{
    return (delay_conn_t *)(void *)conn;
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
        cwu_sleep_ns(ns);
        pthread_mutex_lock(&client->lock);
    }
    return client->error;
}

/** Before a call of the real transport that may wait. Where it takes calls of several threads it
 *  is not alone then, so that what they meet there is met here, too; and some of them come late,
 *  with whatever lock their caller holds. */
static void let_others_in(delay_client_t *client)
{
    bool late = delay_one_in(&client->random, 8);
    uint64_t ns = late ? delay_random(&client->random) % (delay_setup.max_ns / 2 + 1) : 0;
    if (!client->shared)
        return;
    pthread_mutex_unlock(&client->lock);
    if (late)
        cwu_sleep_ns(ns);
}

static void be_alone(delay_client_t *client)
{
    if (client->shared)
        pthread_mutex_lock(&client->lock);
}

static int leave(delay_client_t *client, int rc)
{
    pthread_mutex_unlock(&client->lock);
    return rc;
}

int delay_open(const cwt_client_config_t *config, cwt_client_t **client_p)
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
    client->shared = config->thread_multiple;
    client->random = delay_stream(1, atomic_fetch_add(&number, 1));
    rc = delay_courier_join(client);
    if (rc) {
        delay_setup.real->close(client->real);
        free(client);
        return rc;
    }
    *client_p = (cwt_client_t *)(void *)client;
    return 0;
}

int delay_connect(cwt_client_t *c, int node, const void *blob, size_t nbytes, cwt_conn_t **conn_p)
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

int delay_put(cwt_conn_t *c, uint64_t offset, const void *src, size_t nbytes, bool nbi)
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

int delay_put_complete(cwt_conn_t *c, uint64_t offset, const void *src, size_t nbytes)
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

int delay_target(cwt_conn_t *c, uint32_t slot, uint64_t slice_delta, cwt_target_t *target)
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
    bool free = delay_may_overtake(conn, DELAY_GET);
    if (nbi && nbytes && (!free || delay_one_in(&conn->client->random, 2))) {
        delay_held_t get = {
            .kind = DELAY_GET, .offset = offset, .dst = dst, .nbytes = nbytes, .nbi = true};
        return delay_hold(conn, &get, 0);
    }
    int rc = free ? 0 : delay_release_all(conn);
    delay_log(conn, "get", offset, nbytes, 0);
    if (rc || nbi)
        return rc ? rc : delay_setup.real->get(conn->real, offset, dst, nbytes, nbi);
    let_others_in(conn->client);
    rc = delay_setup.real->get(conn->real, offset, dst, nbytes, nbi);
    be_alone(conn->client);
    return rc;
}

int delay_get(cwt_conn_t *c, uint64_t offset, void *dst, size_t nbytes, bool nbi)
{
    delay_conn_t *conn = conn_of(c);
    int rc = enter(conn->client);
    return leave(conn->client, rc ? rc : get_locked(conn, offset, dst, nbytes, nbi));
}

static int get_begin_locked(delay_conn_t *conn, uint64_t offset, void *dst, size_t nbytes,
                            cwt_reply_t *landed)
{
    if (!delay_may_overtake(conn, DELAY_GET) || delay_one_in(&conn->client->random, 2)) {
        delay_held_t get = {
            .kind = DELAY_GET, .offset = offset, .dst = dst, .nbytes = nbytes, .reply = landed};
        landed->done = 0;
        return delay_hold(conn, &get, 0);
    }
    delay_log(conn, "get", offset, nbytes, 0);
    return delay_setup.real->get_begin(conn->real, offset, dst, nbytes, landed);
}

int delay_get_begin(cwt_conn_t *c, uint64_t offset, void *dst, size_t nbytes, cwt_reply_t *landed)
{
    delay_conn_t *conn = conn_of(c);
    int rc = enter(conn->client);
    return leave(conn->client, rc ? rc : get_begin_locked(conn, offset, dst, nbytes, landed));
}

/** What this client had under way there is complete, so nothing of it is held. */
int delay_release(cwt_conn_t *c, uint64_t offset, uint64_t nbytes)
{
    delay_conn_t *conn = conn_of(c);
    int rc = enter(conn->client);
    return leave(conn->client, rc ? rc : delay_setup.real->release(conn->real, offset, nbytes));
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

int delay_request(cwt_conn_t *c, cwt_header_t *msg, size_t nbytes, cwt_reply_t *reply)
{
    delay_conn_t *conn = conn_of(c);
    int rc = enter(conn->client);
    return leave(conn->client, rc ? rc : request_locked(conn, msg, nbytes, reply));
}

static int message_locked(delay_conn_t *conn, cwt_header_t *msg, size_t nbytes, const void *payload,
                          size_t payload_nbytes)
{
    if (payload_nbytes == 0 || nbytes + payload_nbytes > CWT_REQUEST_MAX)
        // too long: the real transport refuses it
        return request_locked(conn, msg, nbytes + payload_nbytes, NULL);
    cwt_header_t *whole = malloc(nbytes + payload_nbytes);  // the caller's stack may be small
    if (!whole)
        return CW_ENOMEM;
    memcpy(whole, msg, nbytes);
    memcpy((unsigned char *)whole + nbytes, payload, payload_nbytes);
    int rc = request_locked(conn, whole, nbytes + payload_nbytes, NULL);
    free(whole);
    return rc;
}

int delay_message(cwt_conn_t *c, cwt_header_t *msg, size_t nbytes, const void *payload,
                  size_t payload_nbytes)
{
    delay_conn_t *conn = conn_of(c);
    int rc = enter(conn->client);
    return leave(conn->client,
                 rc ? rc : message_locked(conn, msg, nbytes, payload, payload_nbytes));
}

/** Refuses every second message, at random, and whenever the client is in use: its caller must not
 *  wait, not even for an operation that is delivered late. */
int delay_try_message(cwt_conn_t *c, cwt_header_t *msg, size_t nbytes, const void *payload,
                      size_t payload_nbytes)
{
    delay_conn_t *conn = conn_of(c);
    delay_client_t *client = conn->client;
    if (pthread_mutex_trylock(&client->lock))
        return CW_EAGAIN;
    int rc = client->error;
    if (rc == 0 && (!delay_may_overtake(conn, DELAY_REQUEST) || delay_one_in(&client->random, 2)))
        rc = CW_EAGAIN;
    if (rc == 0) {
        rc = delay_setup.real->try_message(conn->real, msg, nbytes, payload, payload_nbytes);
        client->totals.operations += rc == 0;
    }
    return leave(client, rc);
}

int delay_put_message(cwt_conn_t *c, uint64_t offset, const void *src, size_t nbytes, bool nbi,
                      cwt_header_t *msg, size_t msg_nbytes)
{
    delay_conn_t *conn = conn_of(c);
    int rc = enter(conn->client);
    if (rc == 0)
        rc = put_locked(conn, offset, src, nbytes, nbi);
    return leave(conn->client, rc ? rc : request_locked(conn, msg, msg_nbytes, NULL));
}

int delay_wait(cwt_client_t *c, cwt_reply_t *reply)
{
    delay_client_t *client = client_of(c);
    int rc = enter(client);
    if (rc == 0 && delay_release_reply(client, reply))
        rc = client->error;
    if (rc == 0) {
        let_others_in(client);
        rc = delay_setup.real->wait(client->real, reply);
        be_alone(client);
    }
    return leave(client, rc);
}

/** The contract has no order of native atomics and puts: all that is held goes first, and the real
 *  transport drains it. */
int delay_amo(cwt_conn_t *c, uint64_t offset, int op, int nbytes, uint64_t operand,
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

int delay_quiet(cwt_client_t *c)
{
    delay_client_t *client = client_of(c);
    int rc = enter(client);
    if (rc == 0)
        rc = release_all(client);
    if (rc == 0) {
        let_others_in(client);
        rc = delay_setup.real->quiet(client->real);
        be_alone(client);
    }
    return leave(client, rc);
}

/** Marks what is held; the real client begins its quiet when that has been delivered. */
int delay_quiet_begin(cwt_client_t *c)
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

int delay_quiet_test(cwt_client_t *c)
{
    delay_client_t *client = client_of(c);
    int rc = enter(client);
    if (rc == 0 && !holds_awaited(client)) {
        if (client->behind) {
            rc = delay_setup.real->quiet_test(client->real);
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
int delay_fence(cwt_client_t *c)
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
    if (rc == 0 && now) {
        let_others_in(client);
        rc = delay_setup.real->fence(client->real);
        be_alone(client);
    }
    return leave(client, rc);
}

int delay_progress(cwt_client_t *c)
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
int delay_poll(cwt_client_t *c)
{
    delay_client_t *client = client_of(c);
    pthread_mutex_lock(&client->lock);
    uint64_t now = cwu_now_ns();
    return leave(client, now < client->blind_until_ns ? 0 : delay_setup.real->poll(client->real));
}

void delay_stats(const cwt_client_t *c, cwt_stats_t *stats_p)
{
    const delay_client_t *client = (const delay_client_t *)(const void *)c;
    delay_setup.real->stats(client->real, stats_p);
}

static void say_totals(const delay_client_t *client)
{
    CWU_DECIMAL_POINT();
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

void delay_close(cwt_client_t *c)
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
