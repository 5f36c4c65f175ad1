// SPDX-License-Identifier: BSD-3-Clause
//
// Bytes from the network are not trusted: random, truncated, forged and replayed messages go to
// both halves' receiving code directly. Nothing may crash (the sanitizers watch), reach the
// handler, or disturb a connection.
#include <stdlib.h>

#include "transport/ofi/client/calls.h"
#include "transport/ofi/server/server.h"

#include "frame/check.h"
#include "frame/random.h"

static int handled;

static void handler(void *arg, cwt_from_t *from, const cwt_header_t *msg, size_t nbytes)
{
    (void)arg, (void)from;
    handled++;
    CHECK(nbytes >= sizeof *msg && nbytes <= CWT_MESSAGE_MAX && msg->nbytes == nbytes);
}

static const uint8_t secret[CWT_SECRET_BYTES] = "sixteen bytes..";

static void requests(bool msg_mode)
{
    static uint8_t bytes[OFI_BUFFER_NBYTES];
    cwt_server_t *server = calloc(1, sizeof *server);
    ofi_peer_t *peer = calloc(1, sizeof *peer);
    cwt_header_t *header = (void *)bytes;
    ofi_choice.msg = msg_mode;
    handled = 0;
    memcpy(server->config.secret, secret, sizeof secret);
    server->config.handler = handler;
    server->ready = true;
    server->addr_nbytes = 16;
    server->warned = true;
    peer->server = server;
    peer->connected = true;
    server->by_index = &peer;
    server->by_index_count = 1;
    server->config.npes = 4;
    server->taken = calloc(4, sizeof *server->taken);
    server->region.nkeys = 1;
    *header = (cwt_header_t){.op = 1, .nbytes = sizeof *header};
    ofi_server_request(server, peer, bytes, sizeof *header);  // before a hello no token is right
    CHECK(handled == 0 && server->stats.refused == 1);
    server->stats.refused = 0;
    ofi_whom_t whom = ofi_server_whom(server);
    ofi_hello_t hello = {.pe = 3, .number = 7, .nonce = 42};
    ofi_welcome_t welcome;
    ofi_hello_sign(&hello, &whom);
    ofi_peer_welcome(peer, &hello, &welcome);
    const int rounds = 200000;
    for (int i = 0; i < rounds; i++) {
        size_t nbytes = random_word() % (sizeof bytes + 1);
        for (size_t at = 0; at < 128; at += 8)
            *(uint64_t *)(void *)(bytes + at) = random_word();
        if (i % 3 == 0)
            header->nbytes = (uint32_t)nbytes;  // one field is valid
        if (i % 5 == 0)
            header->reply_id |= OFI_ID_OWN, header->op = OFI_OWN_HELLO;
        ofi_server_request(server, peer, bytes, nbytes);
    }
    CHECK(handled == 0);
    CHECK(server->stats.refused == (uint64_t)rounds);

    // The same header made valid field by field.
    memset(bytes, 0, sizeof bytes);
    uint64_t token = ofi_token(&hello, &whom, OFI_FOR_REQUEST);
    *header = (cwt_header_t){.token = token, .op = 1, .nbytes = sizeof *header};
    ofi_server_request(server, peer, bytes, sizeof *header);
    CHECK(handled == 1 && peer->executed == 1);
    server->stats.refused = 0;
    header->reply_id = 0;
    ofi_server_request(server, peer, bytes, sizeof *header);  // a second time
    CHECK(handled == 1 && peer->executed == 1 && server->stats.refused == 1);
    header->token = ++token;
    ofi_server_request(server, peer, bytes, sizeof *header - 1);
    header->nbytes++;
    ofi_server_request(server, peer, bytes, sizeof *header);
    header->nbytes--;
    header->token ^= UINT64_C(1) << 40;
    ofi_server_request(server, peer, bytes, sizeof *header);
    CHECK(handled == 1 && server->stats.refused == 4);
    header->token = token;  // what was refused took no number
    ofi_server_request(server, peer, bytes, sizeof *header);
    CHECK(handled == 2 && peer->executed == 2);
    handled = 1;
    header->token = ofi_token(&hello, &whom, OFI_FOR_REPLY);
    ofi_server_request(server, peer, bytes, sizeof *header);
    hello.number++;  // of another connection
    header->token = ofi_token(&hello, &whom, OFI_FOR_REQUEST);
    ofi_server_request(server, peer, bytes, sizeof *header);
    CHECK(handled == 1);
    header->token = peer->token_in.next;
    if (!msg_mode) {  // a number of no connection, with the right token
        header->reply_id = (uint64_t)12345 << OFI_ID_PEER_SHIFT;
        ofi_server_request(server, peer, bytes, sizeof *header);
        CHECK(handled == 1);
    }
    peer->dying = true;
    header->reply_id = 0;
    ofi_server_request(server, peer, bytes, sizeof *header);
    CHECK(handled == 1);
    free(server->taken);
    free(peer);
    free(server);
}

static uint32_t notified;

static void count_notified(void *arg, int node, const void *bytes, size_t nbytes)
{
    (void)arg, (void)node;
    notified++;
    CHECK(nbytes == 8 && *(const uint64_t *)bytes == 0x1111111111111111u);
}

static void arrived(cwt_client_t *client, ofi_op_t *op, size_t nbytes)
{
    struct fi_cq_data_entry entry = {.op_context = op, .flags = FI_RECV, .len = nbytes};
    ofi_reply_arrived(client, &entry);
}

/** With the token that is due. */
static void arrived_next(cwt_client_t *client, ofi_op_t *op, size_t nbytes)
{
    ((ofi_reply_header_t *)op->buf)->token = op->receives->conn->token_in.next;
    arrived(client, op, nbytes);
}

static void replies(void)
{
    static uint8_t bytes[OFI_BUFFER_NBYTES];
    cwt_client_t *client = calloc(1, sizeof *client);
    cwt_conn_t *conn = calloc(1, sizeof *conn);
    ofi_receives_t receives = {.conn = conn};
    ofi_op_t op = {.receives = &receives, .buf = bytes, .kind = OFI_RECV};
    ofi_reply_header_t *header = (void *)bytes;
    uint64_t value = 0;
    cwt_reply_t reply = {.buf = &value, .capacity = sizeof value};
    ofi_choice.msg = true;
    conn->client = client;
    conn->welcomed = conn->closing = true;  // closing: the buffer is not posted again
    ofi_expect(&conn->token_in, ofi_digest(secret, OFI_FOR_REPLY, &conn->node, sizeof conn->node));
    conn->sent = 5;
    conn->replies[3].reply = &reply;
    conn->replies[3].id = OFI_ID_REPLY | 7u << OFI_ID_INDEX_BITS | 3;
    for (int i = 0; i < 200000; i++) {
        size_t nbytes = random_word() % (sizeof bytes + 1);
        for (size_t at = 0; at < 64; at += 8)
            *(uint64_t *)(void *)(bytes + at) = random_word();
        header->nbytes = (uint32_t)nbytes;
        arrived(client, &op, nbytes);
    }
    CHECK(client->stats.refused == 200000 && !reply.done && conn->acked == 0);

    memset(bytes, 0, sizeof bytes);
    *header = (ofi_reply_header_t){.executed = 6, .nbytes = sizeof *header};
    arrived_next(client, &op, sizeof *header);
    CHECK(conn->acked == 0);  // more executed than sent
    header->executed = 4;
    arrived_next(client, &op, sizeof *header);
    CHECK(conn->acked == 4);
    header->executed = 2;
    arrived_next(client, &op, sizeof *header);
    CHECK(conn->acked == 4);  // an older count changes nothing
    header->executed = 5;
    header->reply_id = 7u << 8 | 3;
    header->nbytes = sizeof *header + 8;
    memset(header + 1, 0x11, 8);
    arrived_next(client, &op, header->nbytes);
    CHECK(reply.done == 1 && reply.nbytes == 8 && value == 0x1111111111111111u);

    // The next one that takes the place has another id, also when the generations are used up.
    CHECK(conn->free_replies == 1u << 3);
    CHECK(ofi_reply_take(conn, &reply) == (OFI_ID_REPLY | 9u << OFI_ID_INDEX_BITS | 3));
    memset(header + 1, 0x22, 8);
    arrived_next(client, &op, header->nbytes);  // to the one before
    CHECK(!reply.done && value == 0x1111111111111111u && conn->replies[3].reply == &reply);
    memset(header + 1, 0x11, 8);
    conn->replies[3].id = OFI_ID_REPLY | 0xffffu << OFI_ID_INDEX_BITS | 3;
    ofi_reply_give(conn, 3);
    CHECK(conn->replies[3].id == (OFI_ID_REPLY | 1u << OFI_ID_INDEX_BITS | 3));

    // A server notifies only clients that listen; each further message acknowledges the last ones.
    header->kind = OFI_REPLY_NOTIFY;
    uint64_t refused = client->stats.refused;
    arrived_next(client, &op, header->nbytes);
    CHECK(client->stats.refused == refused + 1 && notified == 0);
    client->config.notified = count_notified;
    client->config.notifications = 3;
    ofi_choice.send_after_send = true;
    ofi_conn_name(conn, true);
    CHECK((conn->id & OFI_ID_NOTIFY) &&
          (conn->id >> OFI_ID_NOTIFY_SHIFT & OFI_ID_NOTIFY_MASK) == 3);
    for (uint32_t i = 1; i < 40000; i++) {  // the count wraps
        arrived_next(client, &op, header->nbytes);
        CHECK(notified == i && (conn->id >> OFI_ID_NOTIFY_SHIFT & OFI_ID_NOTIFY_MASK) ==
                                   ((i + 3) & OFI_ID_NOTIFY_MASK));
    }
    arrived(client, &op, header->nbytes);  // the last one came before
    CHECK(notified == 39999 && client->stats.refused == refused + 2);
    ofi_conn_name(conn, false);  // no further ones, but those in flight are taken
    arrived_next(client, &op, header->nbytes);
    CHECK(notified == 40000 && (conn->id & OFI_ID_LOW) == 0 && !(conn->id & OFI_ID_NOTIFY));
    free(conn);
    free(client);
}

// ---------------------------------------------------------------- receives that fail

static struct {
    ofi_op_t *op;  // the next error entry is its
    int err, posted, busy;
} failing;

static ssize_t failing_read(struct fid_cq *cq, void *entries, size_t count)
{
    (void)cq, (void)entries, (void)count;
    return failing.op ? -FI_EAVAIL : -FI_EAGAIN;
}

static ssize_t failing_readerr(struct fid_cq *cq, struct fi_cq_err_entry *entry, uint64_t flags)
{
    (void)cq, (void)flags;
    entry->op_context = failing.op;
    entry->err = failing.err;
    failing.op = NULL;
    return 1;
}

static ssize_t failing_recv(struct fid_ep *ep, void *buf, size_t nbytes, void *desc, fi_addr_t from,
                            void *context)
{
    (void)ep, (void)buf, (void)nbytes, (void)desc, (void)from, (void)context;
    if (failing.busy > 0) {
        failing.busy--;
        return -FI_EAGAIN;
    }
    failing.posted++;
    return 0;
}

/** RDM: any process may send a message that is longer than a buffer, or half of one. No connection
 *  is lost, with operations in flight, and the buffer is posted again: later, if the provider is
 *  busy. */
static void truncated(void)
{
    static uint8_t bytes[OFI_BUFFER_NBYTES];
    struct fi_ops_cq cq_ops = {.read = failing_read, .readerr = failing_readerr};
    struct fi_ops_msg msg_ops = {.recv = failing_recv};
    struct fid_cq cq = {.ops = &cq_ops};
    struct fid_ep ep = {.msg = &msg_ops};
    cwt_client_t *client = calloc(1, sizeof *client);
    cwt_conn_t *conn = calloc(1, sizeof *conn);
    ofi_op_t op = {.receives = &client->receives, .buf = bytes, .kind = OFI_RECV};
    ofi_choice.msg = false;
    client->device.cq = &cq;
    ofi_receives_init(&client->receives, &client->device, &ep, &client->late, sizeof bytes);
    client->conns = conn;
    conn->client = client;
    conn->welcomed = true;
    conn->writes = 1;
    for (int i = 1; i <= 2; i++) {
        failing.op = &op;
        failing.err = i == 1 ? FI_ETRUNC : FI_ECANCELED;
        ofi_client_poll(client);
        CHECK(!conn->down && conn->error == 0 && client->error == 0 && client->lost == 0);
        CHECK(failing.posted == i && client->stats.refused == (uint64_t)i);
    }
    failing.op = &op;
    failing.busy = 3;
    for (int left = 2; left >= 0; left--) {  // each poll tries once
        ofi_client_poll(client);
        CHECK(failing.busy == left && client->late == 1 && failing.posted == 2);
    }
    ofi_client_poll(client);
    CHECK(client->late == 0 && failing.posted == 3);
    failing.op = &op;
    failing.err = FI_EOVERRUN;
    struct fi_fabric_attr fabric = {.prov_name = "script"};
    struct fi_info info = {.fabric_attr = &fabric};
    ofi_choice.info = &info;
    ofi_client_poll(client);
    ofi_choice.info = NULL;
    CHECK(client->error == CW_ELOST && failing.posted == 3);
    free(conn);
    free(client);
}

// ---------------------------------------------------------------- replies that cannot be sent

static struct {
    ssize_t rc;  // of the next attempts
    int sent;
    uint64_t last;  // reply_id of the last one
    uint32_t kind;  // its
    ofi_op_t *op;   // of the last one that is not injected
} wire;

static ssize_t wire_inject(struct fid_ep *ep, const void *buf, size_t nbytes, fi_addr_t to)
{
    (void)ep, (void)nbytes, (void)to;
    if (wire.rc != 0)
        return wire.rc;
    wire.sent++;
    wire.last = ((const ofi_reply_header_t *)buf)->reply_id;
    wire.kind = ((const ofi_reply_header_t *)buf)->kind;
    return 0;
}

static ssize_t wire_send(struct fid_ep *ep, const void *buf, size_t nbytes, void *desc,
                         fi_addr_t to, void *context)
{
    (void)desc;
    wire.op = context;
    return wire_inject(ep, buf, nbytes, to);
}

/** RDM: a reply that the provider has taken and then failed to send is sent again, but not to
 *  another client that got the same number. */
static void replies_that_fail_later(cwt_server_t *server, ofi_peer_t *peer)
{
    ofi_choice.inject_nbytes = 0;
    ofi_pool_init(&server->sends, NULL, OFI_BUFFER_NBYTES, 8);
    ofi_reply_header_t header = {.reply_id = 77};
    int sent = wire.sent;
    CHECK(ofi_server_send(peer, &header, NULL, 0) == 0 && wire.sent == sent + 1);
    for (int i = 2; i < 5; i++) {
        wire.last = 0;
        ofi_server_send_ended(wire.op, true);
        CHECK(server->queued == 1 && ofi_server_flush_queues(server) == 1);
        CHECK(wire.sent == sent + i && wire.last == 77 && peer->failing_ns != 0);
    }
    ofi_server_send_ended(wire.op, false);
    CHECK(server->queued == 0 && peer->failing_ns == 0);
    CHECK(ofi_server_send(peer, &header, NULL, 0) == 0);
    ofi_peer_begin(peer);
    ofi_server_send_ended(wire.op, true);
    CHECK(server->queued == 0);
    ofi_pool_close(&server->sends);
    ofi_choice.inject_nbytes = 128;
}

/** RDM: no event follows an error, so a reply is sent again until the client counts as gone. */
static void failing_replies(void)
{
    struct fi_ops_msg msg_ops = {.inject = wire_inject, .send = wire_send};
    struct fid_ep ep = {.msg = &msg_ops};
    cwt_server_t *server = calloc(1, sizeof *server);
    server->device.ep = &ep;
    ofi_choice.msg = false;
    ofi_choice.inject_nbytes = 128;
    ofi_peer_t *peer = ofi_peer_create(server, 1);
    REQUIRE(peer != NULL);
    peer->connected = true;
    for (uint64_t id = 1; id <= 2; id++) {
        ofi_reply_header_t header = {.reply_id = id};
        wire.rc = -FI_ENOMEM;
        CHECK(ofi_server_send(peer, &header, NULL, 0) == 0 && server->queued == 1);
    }
    CHECK(ofi_server_flush_queues(server) == 0 && wire.sent == 0);
    wire.rc = 0;
    CHECK(ofi_server_flush_queues(server) == 2 && wire.sent == 2 && wire.last == 2);
    CHECK(server->queued == 0 && !peer->dying);
    replies_that_fail_later(server, peer);

    ofi_reply_header_t header = {.reply_id = 3};
    wire.rc = -FI_ECONNREFUSED;
    cwu_env.timeout = 1;
    uint64_t start = cwu_now_ns();
    CHECK(ofi_server_send(peer, &header, NULL, 0) == 0);
    while (server->queued && cwu_now_ns() - start < 20000000000u)
        ofi_server_flush_queues(server);
    CHECK(peer->dying && !peer->connected && cwu_now_ns() - start >= 1000000000u);
    cwu_env.timeout = 0;
    ofi_peer_destroy(peer);
    free(server);
}

/** SipHash-2-4 and the digests built on it. */
static void proofs(void)
{
    static const uint8_t other[CWT_SECRET_BYTES] = "another secret.";
    ofi_hello_t hello = {.pe = 3, .number = 7, .nonce = 42};
    ofi_whom_t whom = {secret, 99, 2};
    ofi_hello_sign(&hello, &whom);
    ofi_welcome_t welcome = {.magic = OFI_MAGIC, .key = 5, .base = 6};
    uint64_t token = ofi_token(&hello, &whom, OFI_FOR_REQUEST),
             proof = ofi_welcome_proof(&welcome, &hello, &whom);
    CHECK(ofi_hello_check(&hello, &whom));
    CHECK(token != ofi_token(&hello, &whom, OFI_FOR_REPLY));
    for (size_t bit = 0; bit < 8 * sizeof hello; bit++) {
        ((uint8_t *)&hello)[bit / 8] ^= (uint8_t)(1u << bit % 8);
        CHECK(!ofi_hello_check(&hello, &whom));
        if (bit < 8 * offsetof(ofi_hello_t, proof)) {
            CHECK(token != ofi_token(&hello, &whom, OFI_FOR_REQUEST));
            CHECK(proof != ofi_welcome_proof(&welcome, &hello, &whom));
        }
        ((uint8_t *)&hello)[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    const ofi_whom_t others[] = {{other, 99, 2}, {secret, 98, 2}, {secret, 99, 1}};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        CHECK(!ofi_hello_check(&hello, &others[i]));
        CHECK(token != ofi_token(&hello, &others[i], OFI_FOR_REQUEST));
        CHECK(proof != ofi_welcome_proof(&welcome, &hello, &others[i]));
    }
    welcome.key++;
    CHECK(proof != ofi_welcome_proof(&welcome, &hello, &whom));
    // Purpose 0x0706050403020100 and bytes 8..14 make the paper's 15-byte example (appendix A).
    uint8_t key[16], text[7];
    for (int i = 0; i < 16; i++)
        key[i] = (uint8_t)i;
    for (int i = 0; i < 7; i++)
        text[i] = (uint8_t)(8 + i);
    CHECK(ofi_digest(key, 0x0706050403020100u, text, sizeof text) == 0xa129ca6149be45e5u);
}

/** Numbers in any order, each once, against a plain model. */
static void taken_once(void)
{
    static bool was[100000];
    ofi_taken_t taken = {0};
    const uint32_t start = UINT32_MAX - 20000;  // wraps
    uint32_t top = 0, again = 0;
    for (uint32_t i = 0; i < 50000; i++) {
        uint32_t at = (uint32_t)(top < 70 ? draw(80) : top - 70 + draw(80));
        bool fresh = i == 0 || at > top || (top - at < 64 && !was[at]);
        CHECK(ofi_take_once(&taken, start + at) == fresh, "%u of %u", at, top);
        again += !fresh;
        was[at] = was[at] || fresh;
        top = fresh && at > top ? at : i == 0 ? at : top;
    }
    CHECK(again > 10000 && top > 20100);
    CHECK(ofi_take_once(&taken, start + top + 1000) && !ofi_take_once(&taken, start + top));
}

/** Tokens that overtake each other, come again, or are not the sender's: each of the window is
 *  taken once, and no other; in order, all are. */
static void tokens_once(void)
{
    enum { BEFORE = 1000, ALL = 200000 };
    static bool was[ALL];
    const uint64_t first = UINT64_MAX - 30000;  // wraps
    uint64_t next = 0, taken = 0, again = 0;
    ofi_expected_t expected;
    ofi_expect(&expected, first);
    for (int i = 1; i <= BEFORE; i++)
        CHECK(!ofi_token_take(&expected, first - (uint64_t)i));
    while (next < ALL - 200) {
        uint64_t at = draw(4) ? next : next < 100 ? draw(200) : next - 100 + draw(200);
        bool fresh = at >= next ? at - next < 64 : next - 1 - at < 64 && !was[at];
        CHECK(ofi_token_take(&expected, first + at) == fresh, "%llu of %llu",
              (unsigned long long)at, (unsigned long long)next);
        was[at] = was[at] || fresh;
        next = fresh && at >= next ? at + 1 : next;
        *(fresh ? &taken : &again) += 1;
    }
    CHECK(taken > 10000 && again > 1000);
    CHECK(!ofi_token_take(&expected, first + next + 64) && ofi_token_take(&expected, first + next));
}

static uint64_t oldest_hole(const bool *was, uint64_t next)
{
    for (uint64_t at = next < 64 ? 0 : next - 64; at < next; at++)
        if (!was[at])
            return at;
    return UINT64_MAX;
}

/** The oldest token of the window that has not come, beside a plain model. */
static void token_holes(void)
{
    enum { ALL = 20000 };
    static bool was[ALL];
    const uint64_t first = UINT64_MAX - 3000;  // wraps
    uint64_t next = 0, holes = 0;
    ofi_expected_t expected;
    ofi_expect(&expected, first);
    while (next < ALL - 200) {
        uint64_t at = draw(8) ? next : next < 70 ? draw(100) : next - 70 + draw(80);
        if (ofi_token_take(&expected, first + at)) {
            was[at] = true;
            next = at >= next ? at + 1 : next;
        }
        uint64_t hole = oldest_hole(was, next);
        CHECK(ofi_token_hole(&expected) == (hole == UINT64_MAX ? 0 : first + hole));
        holes += hole != UINT64_MAX;
    }
    CHECK(holes > 1000 && holes < ALL - 1000);
}

/** Does the server say, to a question with that token, that requests were lost? */
static bool says_lost(cwt_server_t *server, uint64_t token)
{
    cwt_header_t ask = {.token = token,
                        .reply_id = OFI_ID_OWN | OFI_ID_ACK,
                        .op = OFI_OWN_ASK,
                        .nbytes = sizeof ask};
    int sent = wire.sent;
    ofi_server_request(server, NULL, &ask, sizeof ask);
    CHECK(wire.sent == sent + 1);
    return wire.kind == OFI_REPLY_LOST;
}

static void send_request(cwt_server_t *server, uint64_t token)
{
    cwt_header_t request = {.token = token, .op = 1, .nbytes = sizeof request};
    ofi_server_request(server, NULL, &request, sizeof request);
}

/** RDM: what does not come for long is lost; what comes behind others is not. */
static void lost_requests(void)
{
    struct fi_ops_msg msg_ops = {.inject = wire_inject};
    struct fid_ep ep = {.msg = &msg_ops};
    cwt_server_t *server = calloc(1, sizeof *server);
    ofi_peer_t *peer = calloc(1, sizeof *peer);
    ofi_choice.msg = false;
    ofi_choice.inject_nbytes = OFI_BUFFER_NBYTES;
    wire.rc = 0;
    server->device.ep = &ep;
    server->ready = true;
    server->config.handler = handler;
    server->by_index = &peer;
    server->by_index_count = 1;
    peer->server = server;
    peer->queue_end = &peer->queue;
    peer->connected = true;
    ofi_whom_t whom = ofi_server_whom(server);
    ofi_hello_t hello = {.pe = 3, .number = 7, .nonce = 42};
    ofi_welcome_t welcome;
    ofi_peer_welcome(peer, &hello, &welcome);
    uint64_t token = ofi_token(&hello, &whom, OFI_FOR_REQUEST);
    send_request(server, token);
    CHECK(!says_lost(server, token + 1) && !says_lost(server, token + 2));
    send_request(server, token + 4);  // 3 comes later
    CHECK(!says_lost(server, token + 5));
    send_request(server, token + 3);
    CHECK(!says_lost(server, token + 6));
    send_request(server, token + 8);
    CHECK(!says_lost(server, token + 9));
    send_request(server, token + 7);
    peer->hole_ns -= OFI_LATE_NS;
    CHECK(!says_lost(server, token + 11));  // 7 has come, now it is 10
    CHECK(!says_lost(server, token + 12));
    peer->hole_ns -= OFI_LATE_NS;
    CHECK(says_lost(server, token + 13));
    send_request(server, token + 10);
    CHECK(!says_lost(server, token + 14));
    for (uint64_t i = 16; i < 80; i++)  // 15 leaves the window
        send_request(server, token + i);
    CHECK(says_lost(server, token + 80));
    ofi_peer_welcome(peer, &hello, &welcome);  // another connection
    peer->executed = 0;
    CHECK(!says_lost(server, token));
    free(peer);
    free(server);
}

static void pieces(void)
{
    cwt_layout_t l = {.control_nbytes = 4096,
                      .slice_offset = 8192,
                      .slice_stride = 1 << 20,
                      .data_nbytes = 1000,
                      .heap_offset = 65536,
                      .heap_nbytes = 500000,
                      .nslots = 3};
    static const uint32_t shifts[] = {0, 12, 16};
    uint64_t left;
    for (int k = 0; k < 3; k++) {
        uint64_t sum = 0, end = 0;
        l.chunk_shift = shifts[k];
        for (uint32_t i = 0; i < ofi_pieces(&l); i++) {
            ofi_span_t span = ofi_piece_span(&l, i);
            CHECK(span.nbytes > 0 && span.offset >= end, "piece %u at %llu", i,
                  (unsigned long long)span.offset);
            end = span.offset + span.nbytes;
            sum += span.nbytes;
            CHECK(ofi_piece_of(&l, span.offset, &left) == i && left == span.nbytes);
            CHECK(ofi_piece_of(&l, end - 1, &left) == i && left == 1);
        }
        CHECK(sum == 4096 + 3 * (1000 + 500000), "the pieces have %llu bytes",
              (unsigned long long)sum);
        CHECK(ofi_piece_of(&l, 4096, &left) == -1 && ofi_piece_of(&l, 8191, &left) == -1);
        CHECK(ofi_piece_of(&l, 8192 + 1000, &left) == -1 &&
              ofi_piece_of(&l, 8192 + 65535, &left) == -1 &&
              ofi_piece_of(&l, 8192 + 65536 + 500000, &left) == -1);
    }
    CHECK(ofi_pieces(&l) == 1 + 3 * (1 + 8));
    l.chunk_shift = 0;
    CHECK(ofi_pieces(&l) == 7 && ofi_piece_of(&l, 8192 + (2u << 20) + 65536, &left) == 6);
}

int main(void)
{
    cwu_env_load();
    requests(true);
    requests(false);
    replies();
    truncated();
    failing_replies();
    proofs();
    taken_once();
    tokens_once();
    token_holes();
    lost_requests();
    pieces();
    return check_result();
}
