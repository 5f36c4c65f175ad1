// SPDX-License-Identifier: BSD-3-Clause
//
// The server half, whatever the endpoint mode: receives requests, executes them through the
// handler, and answers.
//
// A server never blocks on a peer: what the wire does not take is queued per peer, in order; the
// credits of the clients bound the queues. Every request is acknowledged, by its reply or by a
// count that rides on any message. A count alone is sent when nothing else is to do, unless the
// client would run out of credits or waits for it: a message that is on its way to a PE of this
// node should not wait for it.
#include "ofi.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

static void set_secret(cwt_server_t *server, const uint8_t secret[CWT_SECRET_BYTES])
{
    uint32_t node = (uint32_t)server->config.node;
    memcpy(server->config.secret, secret, CWT_SECRET_BYTES);
    server->token_in = ofi_digest(secret, OFI_FOR_REQUEST, &node, sizeof node);
    server->token_out = ofi_digest(secret, OFI_FOR_REPLY, &node, sizeof node);
}

static bool is_zero(const uint8_t secret[CWT_SECRET_BYTES])
{
    static const uint8_t zero[CWT_SECRET_BYTES];
    return memcmp(secret, zero, CWT_SECRET_BYTES) == 0;
}

/** Keys are drawn from the secret, so the region waits for it. */
void ofi_server_secret(cwt_server_t *server, const uint8_t secret[CWT_SECRET_BYTES])
{
    if (server->ready || is_zero(secret))
        return;
    set_secret(server, secret);
    server->ready = ofi_region_open(&server->region, &server->lane, &server->config) == 0;
}

int ofi_server_open(const cwt_server_config_t *config, cwt_server_t **server_p)
{
    cwt_server_t *server = calloc(1, sizeof *server);
    if (!server)
        return CW_ENOMEM;
    server->config = *config;
    server->wake_fd = -1;
    int rc = ofi_load(config->one_machine);
    if (rc == 0)
        rc = ofi_lane_open(&server->lane, ofi_choice.info, 2048, false);
    if (rc == 0) {
        ofi_pool_init(&server->sends, server->lane.domain, OFI_SLOT_NBYTES, UINT32_MAX - 64);
        server->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
        rc = server->wake_fd < 0 ? CW_ESYS : 0;
        if (rc != 0 && !ofi_out_of_files())
            cwu_error("eventfd failed: %m");
    }
    if (rc == 0)
        rc = ofi_choice.msg ? ofi_server_msg_open(server) : ofi_server_rdm_open(server);
    if (rc == 0)
        ofi_strangers_open(&server->strangers, server->addr, server->addr_nbytes,
                           ofi_choice.msg ? sizeof(ofi_hello_t)
                                          : sizeof(cwt_header_t) + sizeof(ofi_first_t));
    if (rc == 0 && !is_zero(config->secret)) {
        ofi_server_secret(server, config->secret);
        rc = server->ready ? 0 : CW_ENOMEM;
    }
    if (rc != 0) {
        ofi_server_close(server);
        return rc;
    }
    *server_p = server;
    return 0;
}

int ofi_server_address(cwt_server_t *server, void *blob, size_t *nbytes_p)
{
    ofi_blob_t b;
    memset(&b, 0, sizeof b);
    b.magic = OFI_MAGIC;
    b.wire = OFI_WIRE;
    b.msg = ofi_choice.msg;
    b.node = (uint32_t)server->config.node;
    if (server->addr_nbytes > sizeof b.addr || *nbytes_p < sizeof b) {
        cwu_error("libfabric (%s): an address of %zu bytes does not fit; choose another "
                  "CAUSEWAY_PROVIDER",
                  ofi_choice.info->fabric_attr->prov_name, server->addr_nbytes);
        return CW_ENOTSUP;
    }
    b.addr_nbytes = (uint8_t)server->addr_nbytes;
    memcpy(b.addr, server->addr, server->addr_nbytes);
    strncpy(b.provider, ofi_choice.info->fabric_attr->prov_name, sizeof b.provider - 1);
    memcpy(blob, &b, sizeof b);
    *nbytes_p = sizeof b;
    return 0;
}

void ofi_server_drop(cwt_server_t *server, const char *why)
{
    server->stats.refused++;
    if (!server->warned)
        cwu_warn("node server: dropped a message or connection of a stranger: %s (said once)", why);
    server->warned = true;
}

void ofi_server_welcome(cwt_server_t *server, const ofi_hello_t *hello, ofi_peer_t *peer,
                        ofi_welcome_t *welcome)
{
    memset(welcome, 0, sizeof *welcome);
    welcome->magic = OFI_MAGIC;
    welcome->wire = OFI_WIRE;
    welcome->nkeys = server->region.nkeys;
    welcome->peer = peer->index;
    welcome->proof =
        ofi_digest(server->config.secret, OFI_FOR_WELCOME, &hello->nonce, sizeof hello->nonce);
    welcome->key = server->region.keys[0].key;
    welcome->base = server->region.keys[0].base;
    welcome->table_addr = server->region.table_addr;
    welcome->table_key = server->region.table_key;
}

// ---------------------------------------------------------------- peers

static void forget_owed(ofi_peer_t *peer)
{
    if (peer->owed)
        peer->server->owed--;
    peer->owed = false;
}

ofi_peer_t *ofi_peer_create(cwt_server_t *server, uint32_t pe)
{
    ofi_peer_t *peer = calloc(1, sizeof *peer);
    if (!peer || (!server->multi.posted &&
                  ofi_slots_open(&peer->slots, server->lane.domain, OFI_CREDITS) != 0)) {
        free(peer);
        return NULL;
    }
    for (uint32_t i = 0; i < peer->slots.count; i++)
        peer->slots.ops[i].peer = peer;
    peer->server = server;
    peer->pe = pe;
    peer->queue_end = &peer->queue;
    peer->fi_addr = FI_ADDR_UNSPEC;
    ofi_peer_begin(peer);
    peer->next = server->peers;
    server->peers = peer;
    return peer;
}

void ofi_peer_begin(ofi_peer_t *peer)
{
    peer->birth = ++peer->server->births;
    peer->executed = peer->acked = peer->told = peer->leave = 0;
}

int ofi_peer_number(ofi_peer_t *peer)
{
    cwt_server_t *server = peer->server;
    uint32_t i = 0;
    while (i < server->by_index_count && server->by_index[i])
        i++;
    if (i > OFI_ID_PEER_MASK - 1)
        return CW_ENOMEM;
    if (i == server->by_index_count) {
        uint32_t count = server->by_index_count ? 2 * server->by_index_count : 64;
        ofi_peer_t **table = realloc(server->by_index, count * sizeof *table);
        if (!table)
            return CW_ENOMEM;
        memset(table + server->by_index_count, 0, (count - server->by_index_count) * sizeof *table);
        server->by_index = table;
        server->by_index_count = count;
    }
    server->by_index[i] = peer;
    peer->index = i;
    return 0;
}

void ofi_peer_drop_queue(ofi_peer_t *peer)
{
    if (peer->queue)
        peer->server->queued--;
    while (peer->queue) {
        ofi_reply_t *reply = peer->queue;
        peer->queue = reply->next;
        free(reply);
    }
    peer->queue_end = &peer->queue;
}

/** No completion may name the peer's buffers any more. */
void ofi_peer_destroy(ofi_peer_t *peer)
{
    ofi_peer_t **at = &peer->server->peers;
    while (*at != peer)
        at = &(*at)->next;
    *at = peer->next;
    cwt_server_t *server = peer->server;
    if (peer->index < server->by_index_count && server->by_index[peer->index] == peer)
        server->by_index[peer->index] = NULL;
    ofi_peer_drop_queue(peer);
    forget_owed(peer);
    ofi_slots_close(&peer->slots);
    free(peer);
}

int ofi_peer_post(ofi_peer_t *peer, ofi_op_t *op, struct fid_ep *ep)
{
    ssize_t rc;
    op->kind = OFI_RECV;
    op->peer = peer;
    do  // receive queues hold at least our credits; a provider may still ask for a moment
        rc = fi_recv(ep, op->buf, OFI_SLOT_NBYTES, op->desc, FI_ADDR_UNSPEC, &op->context);
    while (rc == -FI_EAGAIN);
    return rc == 0 ? 0 : ofi_errno_to_cw(rc);
}

// ---------------------------------------------------------------- replies

/** CW_EAGAIN: not now. Anything else but 0: the connection is going down, its event will follow. */
static int try_send(ofi_peer_t *peer, const void *bytes, size_t nbytes)
{
    cwt_server_t *server = peer->server;
    struct fid_ep *ep = peer->ep ? peer->ep : server->lane.ep;
    if (nbytes <= ofi_choice.inject_nbytes)
        return ofi_errno_to_cw(fi_inject(ep, bytes, nbytes, peer->fi_addr));
    ofi_op_t *op = ofi_pool_get(&server->sends);
    if (!op)
        return CW_EAGAIN;
    op->kind = OFI_SEND;
    op->peer = peer;
    memcpy(op->buf, bytes, nbytes);
    ssize_t rc = fi_send(ep, op->buf, nbytes, op->desc, peer->fi_addr, &op->context);
    if (rc != 0)
        ofi_pool_put(op);
    return ofi_errno_to_cw(rc);
}

static int enqueue(ofi_peer_t *peer, const void *bytes, size_t nbytes)
{
    ofi_reply_t *reply = malloc(sizeof *reply + nbytes);
    if (!reply) {
        cwu_error("node server: no memory to queue a reply of %zu bytes to PE %u", nbytes,
                  peer->pe);
        return CW_ENOMEM;
    }
    reply->next = NULL;
    reply->nbytes = nbytes;
    memcpy(reply->bytes, bytes, nbytes);
    if (!peer->queue)
        peer->server->queued++;
    *peer->queue_end = reply;
    peer->queue_end = &reply->next;
    return 0;
}

/** Fills in what every header has. */
static void sign(const ofi_peer_t *peer, ofi_reply_header_t *header, size_t total)
{
    header->token = peer->server->token_out;
    header->executed = peer->executed;
    header->node = (uint32_t)peer->server->config.node;
    header->nbytes = (uint32_t)total;
}

/** What was sent says how many requests are executed. */
static void count_sent(ofi_peer_t *peer)
{
    peer->acked = peer->executed;
    forget_owed(peer);
    peer->server->stats.replies++;
}

int ofi_server_send(ofi_peer_t *peer, ofi_reply_header_t *header, const void *payload,
                    size_t nbytes)
{
    uint8_t bytes[OFI_SLOT_NBYTES];
    size_t total = sizeof *header + nbytes;
    sign(peer, header, total);
    memcpy(bytes, header, sizeof *header);
    if (nbytes)
        memcpy(bytes + sizeof *header, payload, nbytes);
    count_sent(peer);
    int rc = peer->queue ? CW_EAGAIN : try_send(peer, bytes, total);
    return rc == CW_EAGAIN ? enqueue(peer, bytes, total) : rc;
}

int ofi_server_flush_queues(cwt_server_t *server)
{
    int n = 0;
    for (ofi_peer_t *peer = server->queued ? server->peers : NULL; peer; peer = peer->next) {
        while (peer->queue) {
            ofi_reply_t *reply = peer->queue;
            if (!peer->dying && try_send(peer, reply->bytes, reply->nbytes) == CW_EAGAIN)
                break;
            peer->queue = reply->next;
            free(reply);
            n++;
        }
        if (!peer->queue && peer->queue_end != &peer->queue) {
            peer->queue_end = &peer->queue;
            server->queued--;
            peer->dying = peer->dying || peer->leaving;
        }
    }
    return n;
}

int ofi_server_reply(cwt_from_t *from, const void *payload, size_t nbytes)
{
    if (from->replied || from->reply_id == 0 || nbytes > CWT_MESSAGE_MAX) {
        cwu_error("node server: a handler sent a reply that nobody can take (%zu bytes)", nbytes);
        return CW_EINVAL;
    }
    from->replied = true;
    ofi_reply_header_t header = {.reply_id = from->reply_id, .kind = OFI_REPLY};
    return ofi_server_send(from->peer, &header, payload, nbytes);
}

// ---------------------------------------------------------------- what is told without being asked

uint64_t ofi_server_origin(const cwt_from_t *from)
{
    const ofi_peer_t *peer = from->peer;
    return peer->leave & OFI_LEAVE ? (uint64_t)peer->birth << 32 | (peer->index + 1) : 0;
}

/** The client of that name, if it may be told something now. */
static ofi_peer_t *who_may_hear(const cwt_server_t *server, uint64_t origin)
{
    uint32_t index = (uint32_t)origin - 1;
    ofi_peer_t *peer = index < server->by_index_count ? server->by_index[index] : NULL;
    if (!peer || peer->birth != origin >> 32 || !peer->connected || peer->dying || peer->queue)
        return NULL;
    return (peer->leave & OFI_LEAVE) && ((peer->leave - peer->told) & OFI_ID_TELL_MASK) != 0 ? peer
                                                                                             : NULL;
}

int ofi_server_tell(cwt_server_t *server, uint64_t origin, const void *head, size_t head_nbytes,
                    const void *payload, size_t payload_nbytes)
{
    _Alignas(8) uint8_t bytes[OFI_SLOT_NBYTES];
    ofi_reply_header_t header = {.kind = OFI_REPLY_TOLD};
    ofi_peer_t *peer = who_may_hear(server, origin);
    if (!peer || head_nbytes + payload_nbytes > CWT_MESSAGE_MAX)
        return CW_EAGAIN;
    size_t total = sizeof header + head_nbytes + payload_nbytes;
    sign(peer, &header, total);
    memcpy(bytes, &header, sizeof header);
    memcpy(bytes + sizeof header, head, head_nbytes);
    if (payload_nbytes)
        memcpy(bytes + sizeof header + head_nbytes, payload, payload_nbytes);
    if (try_send(peer, bytes, total) != 0)
        return CW_EAGAIN;  // also when the client is gone: who wants to reach it finds out another
                           // way
    peer->told++;
    count_sent(peer);
    return 0;
}

// ---------------------------------------------------------------- requests

static void acknowledge(ofi_peer_t *peer)
{
    ofi_reply_header_t header = {.kind = OFI_REPLY};
    ofi_server_send(peer, &header, NULL, 0);
}

/** One message as it came: nothing in it is believed before it passed. */
void ofi_server_request(cwt_server_t *server, ofi_peer_t *peer, void *bytes, size_t nbytes)
{
    cwt_header_t *msg = bytes;
    if (nbytes < sizeof *msg || nbytes > CWT_MESSAGE_MAX || msg->nbytes != nbytes) {
        ofi_server_drop(server, "malformed");
        return;
    }
    uint64_t id = msg->reply_id;
    if (!ofi_choice.msg && (id & OFI_ID_OWN) && msg->op == OFI_OWN_HELLO && server->ready) {
        ofi_server_rdm_own(server, NULL, msg, nbytes);  // brings its own proof
        return;
    }
    if (!server->ready || msg->token != server->token_in) {
        ofi_server_drop(server, "without the job's secret");
        return;
    }
    if (!ofi_choice.msg) {
        uint32_t index = (uint32_t)(id >> OFI_ID_PEER_SHIFT) & OFI_ID_PEER_MASK;
        peer = index < server->by_index_count ? server->by_index[index] : NULL;
    }
    if ((id & OFI_ID_OWN) && msg->op != OFI_OWN_NOP) {
        ofi_server_rdm_own(server, peer, msg, nbytes);
        return;
    }
    if (!peer || peer->dying || (!ofi_choice.msg && !peer->connected)) {
        ofi_server_drop(server, "not connected");
        return;
    }
    peer->executed++;
    peer->leave = (uint32_t)(id >> OFI_ID_TELL_SHIFT) & (OFI_LEAVE | OFI_ID_TELL_MASK);
    cwt_from_t from = {peer, (id & OFI_ID_REPLY) ? id & OFI_ID_LOW : 0, false};
    if (!(id & OFI_ID_OWN)) {
        server->stats.requests++;
        msg->reply_id = from.reply_id;
        server->config.handler(server->config.handler_arg, &from, msg, nbytes);
    }
    uint32_t unknown = peer->executed - peer->acked;
    if (!from.replied && ((id & OFI_ID_ACK) || unknown >= OFI_ACK_NOW)) {
        acknowledge(peer);
    } else if (unknown >= OFI_ACK_LAZY && !peer->owed) {
        peer->owed = true;
        server->owed++;
    }
}

/** What is owed, when nothing else is to do. How many were told. */
static int acknowledge_owed(cwt_server_t *server)
{
    int n = 0;
    for (ofi_peer_t *peer = server->peers; peer && server->owed; peer = peer->next) {
        if (!peer->owed)
            continue;
        if (!peer->dying)
            acknowledge(peer);
        forget_owed(peer);
        n++;
    }
    return n;
}

static void received(cwt_server_t *server, ofi_op_t *op, size_t nbytes)
{
    ofi_peer_t *peer = op->peer;
    struct fid_ep *ep = server->lane.ep ? server->lane.ep : peer->ep;
    ofi_server_request(server, peer, op->buf, nbytes);
    if ((server->lane.ep || !peer->dying) && ofi_peer_post(peer, op, ep) != 0)
        cwu_debug("node server: a receive buffer could not be posted again");
}

static void cq_error(cwt_server_t *server)
{
    union {
        struct fi_cq_err_entry err;
        uint8_t room[256];  // newer libraries know more fields
    } u;
    memset(&u, 0, sizeof u);
    if (fi_cq_readerr(server->lane.cq, &u.err, 0) <= 0)
        return;
    ofi_op_t *op = u.err.op_context;
    if (u.err.err != FI_ECANCELED)  // that is how an endpoint's receives end
        cwu_debug("node server: an operation failed: %s", ofi_reason(u.err.err));
    if (!op)
        return;
    if (op->kind == OFI_SEND) {
        ofi_pool_put(op);
    } else if (op->kind == OFI_RECV && server->lane.ep && u.err.err != FI_ECANCELED) {
        ofi_peer_post(op->peer, op, server->lane.ep);  // the common queue must not run dry
    } else if (op->kind == OFI_RECV_MANY && server->lane.ep && u.err.err != FI_ECANCELED &&
               (u.err.flags & FI_MULTI_RECV)) {
        ofi_multi_again(server, op);
    }
}

/** Reads the queue until it is empty or `rounds` times; number of completions. */
static int drain_cq(cwt_server_t *server, int rounds)
{
    int total = 0;
    while (rounds-- > 0) {
        struct fi_cq_data_entry entries[16];
        ssize_t n = fi_cq_read(server->lane.cq, entries, 16);
        if (n == -FI_EAVAIL) {
            cq_error(server);
            total++;
            continue;
        }
        if (n <= 0)
            break;
        for (ssize_t i = 0; i < n; i++) {
            ofi_op_t *op = entries[i].op_context;
            if (!op)
                continue;
            if (op->kind == OFI_RECV)
                received(server, op, entries[i].len);
            else if (op->kind == OFI_RECV_MANY)
                ofi_multi_received(server, op, &entries[i]);
            else if (op->kind == OFI_SEND)
                ofi_pool_put(op);
        }
        total += (int)n;
        if (n < 16)
            break;
    }
    return total;
}

/** A read ends at an error entry too, and then leaves what is behind it: only one that brings
 *  nothing says that it is empty. */
static void empty_cq(cwt_server_t *server)
{
    while (drain_cq(server, 16) > 0)
        ;
}

static void reclaim_send(ofi_op_t *op, void *peer)
{
    if (op->peer == peer)
        ofi_pool_put(op);
}

/** Takes down the peers whose clients are gone. What they sent before they went is executed
 *  first. */
static int bury(cwt_server_t *server)
{
    int n = 0;
    for (ofi_peer_t *peer = server->peers, *next; peer; peer = next) {
        next = peer->next;
        if (!peer->dying)
            continue;
        peer->dying = false;
        empty_cq(server);
        peer->dying = true;
        if (peer->ep)
            fi_close(&peer->ep->fid);
        empty_cq(server);  // the closed endpoint's own entries; none can follow
        ofi_pool_each(&server->sends, reclaim_send, peer);
        ofi_peer_destroy(peer);
        n++;
    }
    return n;
}

/** Connection events and strangers cost system calls: a look now and then, and after every
 *  sleep. */
static int look_around(cwt_server_t *server)
{
    server->rounds++;
    if (!server->slept && server->rounds % 256 != 0)
        return 0;
    server->slept = false;
    for (uint32_t n = ofi_strangers_look(&server->strangers); n > 0; n--)
        ofi_server_drop(server, "it connected and did not say who it is");
    ofi_silence_look_in(server);
    int n = server->pep ? ofi_server_msg_progress(server) : 0;
    return n > 0 ? n + bury(server) : 0;
}

int ofi_server_progress(cwt_server_t *server)
{
    const int rounds = 16;
    if (!server->ready && !server->pep)
        return 0;  // a first message waits in the queue until the secret that judges it is known
    // First: it may bring completions in, and no descriptor tells of these (ofi_lane_block).
    int events = look_around(server), n = drain_cq(server, rounds);
    if (server->lane.bell && n >= rounds)
        ofi_server_wake(server);  // what is left must not sleep with the thread that sleeps
    if (n == 0 && server->owed)
        n = acknowledge_owed(server);
    n += events;
    if (server->queued)
        n += ofi_server_flush_queues(server);
    if (n > 0) {
        if (server->false_alarms)  // a load is cheaper than a store that others may look at
            server->false_alarms = 0;
    } else if (ofi_lane_stuck(&server->lane)) {
        ofi_lane_unstick(&server->lane);
        n = drain_cq(server, rounds);
    }
    return server->lost ? server->lost : n;
}

/** A listener without descriptors stays ready and gives nothing: say so, and do not spin on it.
 *  Puts and gets that the provider serves end sleeps too, and leave no event; so a look is taken
 *  after many short sleeps only. */
static bool alarm_is_false(cwt_server_t *server, uint64_t slept_ns, uint64_t timeout_ns)
{
    const uint32_t patience = 1000;
    if (server->lane.eq_fd < 0 || slept_ns >= timeout_ns / 2 || slept_ns >= 1000000)
        return false;
    if (server->false_alarms < patience && ++server->false_alarms < patience)
        return false;
    struct pollfd eq = {.fd = server->lane.eq_fd, .events = POLLIN};
    bool still = poll(&eq, 1, 0) == 1;
    if (still && server->false_alarms == patience)
        still = server->pep ? ofi_out_of_files() : ofi_no_files();
    server->false_alarms = still ? patience + 1 : 0;
    return still;
}

bool ofi_server_may_block(cwt_server_t *server)
{
    return ofi_lane_may_block(&server->lane);
}

int ofi_server_block(cwt_server_t *server, uint64_t timeout_ns)
{
    const uint64_t queued_ns = 1000000, nap_ns = 10000000;
    if (server->queued && timeout_ns > queued_ns)
        timeout_ns = queued_ns;
    uint64_t start = cwu_now_ns(), count;
    bool called;
    int rc = ofi_lane_block(&server->lane, server->wake_fd, timeout_ns, &called);
    server->slept = true;
    if (called && read(server->wake_fd, &count, sizeof count) > 0)
        return rc;
    if (alarm_is_false(server, cwu_now_ns() - start, timeout_ns)) {
        struct pollfd fd = {.fd = server->wake_fd, .events = POLLIN};
        struct timespec nap = {0, (long)(timeout_ns < nap_ns ? timeout_ns : nap_ns)};
        ppoll(&fd, 1, &nap, NULL);
    }
    return rc;
}

void ofi_server_wake(cwt_server_t *server)
{
    uint64_t one = 1;
    if (write(server->wake_fd, &one, sizeof one) < 0)
        return;  // the counter is full: it is awake already
}

void ofi_server_stats(const cwt_server_t *server, cwt_stats_t *stats_p)
{
    *stats_p = server->stats;
    stats_p->endpoints = server->lane.endpoints;
}

void ofi_server_close(cwt_server_t *server)
{
    for (ofi_peer_t *peer = server->peers; peer; peer = peer->next)
        if (peer->ep) {
            peer->dying = true;
            fi_close(&peer->ep->fid);
            peer->ep = NULL;
        }
    if (server->pep)
        fi_close(&server->pep->fid);
    if (server->lane.ep) {
        fi_close(&server->lane.ep->fid);
        server->lane.ep = NULL;
    }
    while (server->peers)
        ofi_peer_destroy(server->peers);
    if (server->slots.ops)
        ofi_slots_close(&server->slots);
    ofi_multi_close(&server->multi);
    ofi_pool_close(&server->sends);
    ofi_strangers_close(&server->strangers);
    ofi_region_close(&server->region);
    ofi_lane_close(&server->lane);
    if (server->wake_fd >= 0)
        close(server->wake_fd);
    free(server->by_index);
    free(server);
}
