// SPDX-License-Identifier: BSD-3-Clause
//
// Peers: the server's ends of its clients' connections.
#include "server.h"

#include <stdlib.h>
#include <string.h>

/** How many receive buffers a peer brings: none where others serve all peers, or where the common
 *  queue is full. */
static uint32_t buffers_of_peer(const cwt_server_t *server)
{
    if (server->multi.posted)
        return 0;
    uint32_t posted = ofi_choice.msg ? 0 : server->posted,
             room = ofi_device_receives(&server->device) - posted;
    return room < OFI_CREDITS ? room : OFI_CREDITS;
}

ofi_peer_t *ofi_peer_create(cwt_server_t *server, uint32_t pe)
{
    ofi_peer_t *peer = calloc(1, sizeof *peer);
    uint32_t count = buffers_of_peer(server);
    if (!peer ||
        (count > 0 && ofi_buffers_open(&peer->buffers, server->device.domain, count) != 0)) {
        free(peer);
        return NULL;
    }
    server->posted += count;
    for (uint32_t i = 0; i < peer->buffers.count; i++)
        peer->buffers.ops[i].peer = peer;
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
    peer->executed = peer->acked = peer->notified = peer->notify_until = 0;
    peer->failing_ns = 0;
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
    ofi_peer_forget_owed(peer);
    ofi_buffers_close(&peer->buffers);
    free(peer);
}

int ofi_peer_post(ofi_peer_t *peer, ofi_op_t *op, struct fid_ep *ep)
{
    ssize_t rc;
    op->kind = OFI_RECV;
    op->peer = peer;
    do  // receive queues hold at least the credits; a provider may still be busy
        rc = fi_recv(ep, op->buf, OFI_BUFFER_NBYTES, op->desc, FI_ADDR_UNSPEC, &op->context);
    while (rc == -FI_EAGAIN);
    return rc == 0 ? 0 : ofi_errno_to_cw(rc);
}

void ofi_peer_welcome(ofi_peer_t *peer, const ofi_hello_t *hello, ofi_welcome_t *welcome)
{
    const cwt_server_t *server = peer->server;
    memset(welcome, 0, sizeof *welcome);
    welcome->magic = OFI_MAGIC;
    welcome->wire = OFI_WIRE;
    welcome->nkeys = server->region.nkeys;
    welcome->peer = peer->index;
    welcome->proof =
        ofi_digest(server->config.secret, OFI_FOR_WELCOME, &hello->nonce, sizeof hello->nonce);
    welcome->key = server->region.key;
    welcome->base = server->region.base;
}
