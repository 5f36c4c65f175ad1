// SPDX-License-Identifier: BSD-3-Clause
//
// Requests: what a client sends is checked, counted, and executed through the handler.
//
// A count of executed requests is sent alone only when nothing else is to do, unless the client
// would run out of credits or waits for it: a message that is on its way to a PE of this node
// should not wait for it.
#include "server.h"

/** A client is about to use a piece of the node object for the first time, or has used some for the
 *  last time. */
static void tell_key(cwt_server_t *server, cwt_from_t *from, const cwt_header_t *msg, size_t nbytes)
{
    const ofi_ask_key_t *ask = (const void *)(msg + 1);
    ofi_region_t *region = &server->region;
    ofi_key_t answer = {OFI_NO_KEY};
    if (nbytes != sizeof *msg + sizeof *ask || from->reply_id == 0 || ask->piece >= region->nkeys ||
        ask->count > region->nkeys - ask->piece) {
        ofi_server_drop(server, "a malformed request for a key");
        return;
    }
    if (msg->op == OFI_OWN_RELEASE)
        ofi_region_release(region, &server->config, &from->peer->keys, ask->piece, ask->count);
    // a failure is reported here, and by the client, which ends the job
    else if (ofi_region_hold(region, &from->peer->keys, ask->piece) != 0 ||
             ofi_region_key(region, &server->device, &server->config, ask->piece, &answer.key) != 0)
        answer.key = OFI_NO_KEY;
    ofi_server_reply(from, &answer, sizeof answer);
}

static bool is_about_keys(const cwt_header_t *msg)
{
    return msg->op == OFI_OWN_KEY || msg->op == OFI_OWN_RELEASE;
}

/** The client asks, once a second. Has it lost requests? One that has not come may yet, behind
 *  others, while the provider fetches it: but not for that long, and not when it has left the
 *  window. */
static bool lost_requests(ofi_peer_t *peer)
{
    if ((uint32_t)(peer->token_in.next - peer->token_first) == peer->executed)
        return false;
    uint64_t hole = ofi_token_hole(&peer->token_in), now = cwu_now_ns();
    if (hole != 0 && hole != peer->hole) {
        peer->hole = hole;
        peer->hole_ns = now;
    }
    return hole == 0 || now - peer->hole_ns >= OFI_LATE_NS;
}

static bool is_counted_only(const cwt_header_t *msg)
{
    return msg->op == OFI_OWN_NOP || msg->op == OFI_OWN_ASK;
}

void ofi_server_request(cwt_server_t *server, ofi_peer_t *peer, void *bytes, size_t nbytes)
{
    cwt_header_t *msg = bytes;
    if (nbytes < sizeof *msg || nbytes > ofi_longest_request(ofi_choice.long_requests) ||
        msg->nbytes != nbytes) {
        ofi_server_drop(server, "malformed");
        return;
    }
    uint64_t id = msg->reply_id;
    if (!ofi_choice.msg && (id & OFI_ID_OWN) && msg->op == OFI_OWN_HELLO && server->ready) {
        ofi_server_rdm_own(server, NULL, msg, nbytes);  // has a proof of its own
        return;
    }
    if (!ofi_choice.msg) {
        uint32_t index = (uint32_t)(id >> OFI_ID_PEER_SHIFT) & OFI_ID_PEER_MASK;
        peer = index < server->by_index_count ? server->by_index[index] : NULL;
    }
    if (!server->ready || !peer || !peer->proved || !ofi_token_take(&peer->token_in, msg->token)) {
        ofi_server_drop(server, "without the job's secret, or one that came before");
        return;
    }
    if ((id & OFI_ID_OWN) && !is_counted_only(msg) && !is_about_keys(msg)) {
        ofi_server_rdm_own(server, peer, msg, nbytes);
        return;
    }
    if (peer->dying || (!ofi_choice.msg && !peer->connected)) {
        ofi_server_drop(server, "not connected");
        return;
    }
    peer->executed++;
    peer->notify_until =
        (uint32_t)(id >> OFI_ID_NOTIFY_SHIFT) & (OFI_NOTIFY_ALLOWED | OFI_ID_NOTIFY_MASK);
    cwt_from_t from = {peer, (id & OFI_ID_REPLY) ? id & OFI_ID_LOW : 0, false};
    if (!(id & OFI_ID_OWN)) {
        server->stats.requests++;
        msg->reply_id = from.reply_id;
        server->config.handler(server->config.handler_arg, &from, msg, nbytes);
    } else if (is_about_keys(msg)) {
        tell_key(server, &from, msg, nbytes);
    }
    if ((id & OFI_ID_OWN) && msg->op == OFI_OWN_ASK && lost_requests(peer)) {
        ofi_reply_header_t header = {.kind = OFI_REPLY_LOST};
        ofi_server_send(peer, &header, NULL, 0);
        return;
    }
    uint32_t unknown = peer->executed - peer->acked;
    if (!from.replied && ((id & OFI_ID_ACK) || unknown >= OFI_ACK_NOW)) {
        ofi_peer_acknowledge(peer);
    } else if (unknown >= OFI_ACK_LAZY && !peer->deferred) {
        peer->deferred = true;
        server->deferred++;
    }
}
