// SPDX-License-Identifier: BSD-3-Clause
//
// What a server sends: replies, acknowledgements, notifications.
//
// A server never blocks on a peer: what the wire does not take is queued per peer, in order; the
// credits of the clients bound the queues. Every request is acknowledged, by its reply or by a
// count that rides on any message.
#include "server.h"

#include <stdlib.h>
#include <string.h>

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

/** CW_EAGAIN: not now. Another error may pass too (no memory), or the client is gone: with MSG
 *  endpoints an event follows, with RDM endpoints nothing does. */
static int try_send(ofi_peer_t *peer, const void *bytes, size_t nbytes)
{
    cwt_server_t *server = peer->server;
    struct fid_ep *ep = peer->ep ? peer->ep : server->device.ep;
    if (nbytes <= ofi_choice.inject_nbytes)
        return ofi_errno_to_cw(fi_inject(ep, bytes, nbytes, peer->fi_addr));
    ofi_op_t *op = ofi_pool_get(&server->sends);
    if (!op)
        return CW_EAGAIN;
    op->kind = OFI_SEND;
    op->peer = peer;
    op->birth = peer->birth;
    op->nbytes = nbytes;
    memcpy(op->buf, bytes, nbytes);
    ssize_t rc = fi_send(ep, op->buf, nbytes, op->desc, peer->fi_addr, &op->context);
    if (rc != 0)
        ofi_pool_put(op);
    return ofi_errno_to_cw(rc);
}

static void enqueue(ofi_peer_t *peer, const void *bytes, size_t nbytes)
{
    ofi_reply_t *reply = malloc(sizeof *reply + nbytes);
    if (!reply)  // its client would wait for ever
        cwu_fatal(
            "node server: out of memory for a reply of %zu bytes to PE %u, which waits for it",
            nbytes, peer->pe);
    reply->next = NULL;
    reply->nbytes = nbytes;
    memcpy(reply->bytes, bytes, nbytes);
    if (!peer->queue)
        peer->server->queued++;
    *peer->queue_end = reply;
    peer->queue_end = &reply->next;
}

/** Fills in the fields that are the same in all replies. */
static void sign(const ofi_peer_t *peer, ofi_reply_header_t *header, size_t total)
{
    header->token = peer->token_out;
    header->executed = peer->executed;
    header->node = (uint32_t)peer->server->config.node;
    header->nbytes = (uint32_t)total;
}

void ofi_peer_forget_deferred(ofi_peer_t *peer)
{
    if (peer->deferred)
        peer->server->deferred--;
    peer->deferred = false;
}

/** A message was sent, which has the number of executed requests. */
static void count_sent(ofi_peer_t *peer)
{
    peer->token_out++;
    peer->acked = peer->executed;
    ofi_peer_forget_deferred(peer);
    peer->server->stats.replies++;
}

int ofi_server_send(ofi_peer_t *peer, ofi_reply_header_t *header, const void *payload,
                    size_t nbytes)
{
    uint8_t *bytes = peer->server->message;
    size_t total = sizeof *header + nbytes;
    sign(peer, header, total);
    memcpy(bytes, header, sizeof *header);
    if (nbytes)
        memcpy(bytes + sizeof *header, payload, nbytes);
    count_sent(peer);
    int rc = peer->queue ? CW_EAGAIN : try_send(peer, bytes, total);
    if (rc == 0 || (peer->refused && rc != CW_EAGAIN))  // a refusal is not worth a second attempt
        return rc;
    enqueue(peer, bytes, total);
    return 0;
}

void ofi_peer_acknowledge(ofi_peer_t *peer)
{
    ofi_reply_header_t header = {.kind = OFI_REPLY};
    ofi_server_send(peer, &header, NULL, 0);
}

/** The wire did not take a reply. True: it has refused for CAUSEWAY_TIMEOUT; the client counts as
 *  gone. */
static bool give_up(ofi_peer_t *peer, int rc)
{
    uint64_t now = cwu_now_ns();
    if (rc == CW_EAGAIN)
        return false;
    if (peer->failing_ns == 0)
        peer->failing_ns = now;
    if (now - peer->failing_ns < ofi_timeout_ns())
        return false;
    cwu_warn("node server: cannot send to PE %u for %llu s: its connection is given up", peer->pe,
             (unsigned long long)(ofi_timeout_ns() / 1000000000u));
    peer->dying = true;
    peer->connected = false;
    return true;
}

void ofi_server_send_ended(ofi_op_t *op, bool failed)
{
    ofi_peer_t *peer = op->peer;
    bool same = !peer->dying && op->birth == peer->birth;
    if (same && !failed)
        peer->failing_ns = 0;
    else if (same && !ofi_choice.msg && !peer->refused && !give_up(peer, CW_ELOST))
        enqueue(peer, op->buf, op->nbytes);
    ofi_pool_put(op);
}

int ofi_server_flush_queues(cwt_server_t *server)
{
    int n = 0;
    for (ofi_peer_t *peer = server->queued ? server->peers : NULL; peer; peer = peer->next) {
        while (peer->queue) {
            ofi_reply_t *reply = peer->queue;
            int rc = peer->dying ? 0 : try_send(peer, reply->bytes, reply->nbytes);
            if (rc != 0 && !give_up(peer, rc))
                break;
            if (reply->nbytes <= ofi_choice.inject_nbytes)
                peer->failing_ns = 0;  // of others their completion tells
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
        cwu_error(
            "node server: a handler sent a reply that was not asked for or is too long (%zu bytes)",
            nbytes);
        return CW_EINVAL;
    }
    from->replied = true;
    ofi_reply_header_t header = {.reply_id = from->reply_id, .kind = OFI_REPLY};
    return ofi_server_send(from->peer, &header, payload, nbytes);
}

uint32_t ofi_server_pe(const cwt_from_t *from)
{
    return from->peer->pe;
}

uint64_t ofi_server_origin(const cwt_from_t *from)
{
    const ofi_peer_t *peer = from->peer;
    return peer->notify_until & OFI_NOTIFY_ALLOWED ? (uint64_t)peer->birth << 32 | (peer->index + 1)
                                                   : 0;
}

/** The client of that name, if it takes a notification now. */
static ofi_peer_t *notifiable_peer(const cwt_server_t *server, uint64_t origin)
{
    uint32_t index = (uint32_t)origin - 1;
    ofi_peer_t *peer = index < server->by_index_count ? server->by_index[index] : NULL;
    if (!peer || peer->birth != origin >> 32 || !peer->connected || peer->dying || peer->queue)
        return NULL;
    return (peer->notify_until & OFI_NOTIFY_ALLOWED) &&
                   ((peer->notify_until - peer->notified) & OFI_ID_NOTIFY_MASK) != 0
               ? peer
               : NULL;
}

int ofi_server_notify(cwt_server_t *server, uint64_t origin, const void *head, size_t head_nbytes,
                      const void *payload, size_t payload_nbytes)
{
    uint8_t *bytes = server->message;
    ofi_reply_header_t header = {.kind = OFI_REPLY_NOTIFY};
    ofi_peer_t *peer = notifiable_peer(server, origin);
    if (!peer || head_nbytes + payload_nbytes > CWT_MESSAGE_MAX)
        return CW_EAGAIN;
    size_t total = sizeof header + head_nbytes + payload_nbytes;
    sign(peer, &header, total);
    memcpy(bytes, &header, sizeof header);
    memcpy(bytes + sizeof header, head, head_nbytes);
    if (payload_nbytes)
        memcpy(bytes + sizeof header + head_nbytes, payload, payload_nbytes);
    if (try_send(peer, bytes, total) != 0)
        return CW_EAGAIN;  // also when the client is gone: its own connection shows that
    peer->notified++;
    count_sent(peer);
    return 0;
}
