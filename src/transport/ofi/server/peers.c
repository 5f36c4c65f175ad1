// SPDX-License-Identifier: BSD-3-Clause
//
// Peers: the server's ends of its clients' connections.
#include "server.h"

#include <stdlib.h>
#include <string.h>

#define PARTS 16u  // of what is left of the completion queue, one is for the next peer

ofi_peer_t *ofi_peer_create(cwt_server_t *server, uint32_t pe)
{
    ofi_peer_t *peer = calloc(1, sizeof *peer);
    if (!peer)
        return NULL;
    if (ofi_choice.msg) {
        ofi_receives_init(&peer->receives, &server->device, NULL, &server->late,
                          ofi_request_buffer());
        peer->receives.peer = peer;
        if (ofi_receives_add(&peer->receives, OFI_CREDITS, PARTS) != 0) {
            ofi_receives_close(&peer->receives);
            free(peer);
            return NULL;
        }
    }
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
    ofi_region_forget(&peer->server->region, &peer->keys);
    peer->birth = ++peer->server->births;
    peer->executed = peer->acked = peer->notified = peer->notify_until = 0;
    peer->failing_ns = 0;
    peer->proved = false;
    peer->token_out = 0;  // a refusal is not to tell that of the last client
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
    ofi_region_forget(&server->region, &peer->keys);
    ofi_peer_drop_queue(peer);
    ofi_peer_forget_deferred(peer);
    ofi_receives_close(&peer->receives);
    free(peer);
}

ofi_whom_t ofi_server_whom(const cwt_server_t *server)
{
    return (ofi_whom_t){server->config.secret, server->birth, server->config.node};
}

bool ofi_server_takes(cwt_server_t *server, const ofi_hello_t *hello)
{
    return hello->pe < (uint32_t)server->config.npes &&
           ofi_take_once(&server->taken[hello->pe], hello->number);
}

void ofi_peer_welcome(ofi_peer_t *peer, const ofi_hello_t *hello, ofi_welcome_t *welcome)
{
    const cwt_server_t *server = peer->server;
    ofi_whom_t whom = ofi_server_whom(server);
    ofi_expect(&peer->token_in, ofi_token(hello, &whom, OFI_FOR_REQUEST));
    peer->token_first = peer->token_in.next;
    peer->hole = 0;
    peer->token_out = ofi_token(hello, &whom, OFI_FOR_REPLY);
    peer->proved = true;
    memset(welcome, 0, sizeof *welcome);
    welcome->magic = OFI_MAGIC;
    welcome->wire = OFI_WIRE;
    welcome->nkeys = server->region.nkeys;
    welcome->peer = peer->index;
    welcome->key = server->region.key;
    welcome->base = server->region.base;
    welcome->proof = ofi_welcome_proof(welcome, hello, &whom);
}
