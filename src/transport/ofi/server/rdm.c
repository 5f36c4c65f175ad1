// SPDX-License-Identifier: BSD-3-Clause
//
// The server with one RDM endpoint for all clients: a client sends a first message (its address,
// its proof) and receives keys and the number that it has to name in every request. Numbers alone
// are of no use to an unauthenticated sender: keys cannot be guessed, and requests carry a token.
#include "server.h"

#include <rdma/fi_cm.h>

#include <stdlib.h>
#include <string.h>

#define FIRST_BUFFERS 64u
#define MANY_MESSAGES 16u  // the longest, of a buffer for many

static int failed(const char *what, ssize_t rc)
{
    cwu_error("libfabric (%s): the node server cannot %s: %s",
              ofi_choice.info->fabric_attr->prov_name, what, ofi_reason(rc));
    return CW_ESYS;
}

int ofi_server_rdm_open(cwt_server_t *server)
{
    server->addr_nbytes = sizeof server->addr;
    int rc = fi_getname(&server->device.ep->fid, server->addr, &server->addr_nbytes);
    if (rc != 0)
        return failed("learn its own address", rc);
    size_t longest = ofi_request_buffer();
    ofi_receives_init(&server->receives, &server->device, server->device.ep, &server->late,
                      longest);
    if (ofi_receives_many(&server->receives, MANY_MESSAGES * longest))
        return 0;
    rc = ofi_receives_add(&server->receives, FIRST_BUFFERS, 1);
    return rc == 0 ? 0 : failed("post receive buffers", -FI_ENOMEM);
}

/** Gives a free peer to a new client: there are receives for it already. */
static ofi_peer_t *reuse(cwt_server_t *server, ofi_peer_t *peer, uint32_t pe)
{
    ofi_peer_drop_queue(peer);
    if (peer->fi_addr != FI_ADDR_UNSPEC)
        fi_av_remove(server->device.av, &peer->fi_addr, 1, 0);
    peer->fi_addr = FI_ADDR_UNSPEC;
    peer->dying = peer->leaving = peer->connected = false;
    peer->pe = pe;
    ofi_peer_begin(peer);
    return peer;
}

static ofi_peer_t *peer_at(cwt_server_t *server, uint64_t addr_digest)
{
    ofi_peer_t *peer = server->peers;
    while (peer && (peer->addr_digest != addr_digest || peer->refused))
        peer = peer->next;
    return peer;
}

/** A peer for a new client: that of the same address if its client went without a good-bye or asks
 *  again, one whose client is gone, or a new one. */
static ofi_peer_t *find_peer(cwt_server_t *server, uint32_t pe, uint64_t addr_digest)
{
    ofi_peer_t *same = addr_digest ? peer_at(server, addr_digest) : NULL, *dead = NULL;
    if (same)
        return reuse(server, same, pe);
    for (ofi_peer_t *peer = server->peers; peer; peer = peer->next)
        dead = peer->dying ? peer : dead;
    if (dead)
        return reuse(server, dead, pe);
    ofi_peer_t *peer = ofi_peer_create(server, pe);
    if (!peer || ofi_peer_number(peer) != 0) {
        cwu_error("node server: no memory for a connection with PE %u", pe);
        if (peer)
            ofi_peer_destroy(peer);
        return NULL;
    }
    (void)ofi_receives_add(&server->receives, OFI_CREDITS, 1);  // or those of the others serve it
    return peer;
}

/** Sends a refusal to a client of another job; the nonce shows that it comes from the server that
 *  got the first message. At most 64 times: an unauthenticated sender must not
 *  make the server send without end. */
static void refuse(cwt_server_t *server, const ofi_first_t *first, const uint8_t addr[])
{
    ofi_server_drop(server, "a first message without the job's secret");
    if (server->refusals++ >= 64)
        return;
    ofi_peer_t *peer = find_peer(server, first->hello.pe, 0);
    if (!peer)
        return;
    peer->addr_digest = 0;
    peer->refused = true;  // never used again: its address stays valid for the refusal
    if (fi_av_insert(server->device.av, addr, 1, &peer->fi_addr, 0, NULL) == 1) {
        ofi_reply_header_t header = {.reply_id = first->hello.nonce, .kind = OFI_REPLY_REFUSED};
        ofi_server_send(peer, &header, NULL, 0);
    }
}

/** The address of a client as this server's endpoint takes it: the client's sockets may be of
 *  another kind. False: it is none. */
static bool take_address(const cwt_server_t *server, const ofi_first_t *first, uint8_t addr_p[])
{
    struct sockaddr_storage name;
    ofi_ip_t ip, own;
    if (first->addr_nbytes == server->addr_nbytes) {
        memcpy(addr_p, first->addr, first->addr_nbytes);
        return true;
    }
    if (!ofi_ip_of(server->addr, server->addr_nbytes, &own) ||
        !ofi_ip_of(first->addr, first->addr_nbytes, &ip))
        return false;
    int family = ((const struct sockaddr *)server->addr)->sa_family;
    socklen_t nbytes = ofi_ip_name(&ip, ofi_port_of(first->addr), family, &name);
    memcpy(addr_p, &name, nbytes);
    return nbytes > 0;
}

/** Has this client asked again since? Its numbers grow. */
static bool is_late(cwt_server_t *server, uint64_t addr_digest, const ofi_hello_t *hello)
{
    const ofi_peer_t *peer = peer_at(server, addr_digest);
    return peer && peer->pe == hello->pe && (int32_t)(hello->number - peer->attempt) < 0;
}

static void hello(cwt_server_t *server, const cwt_header_t *msg, size_t nbytes)
{
    const ofi_first_t *first = (const void *)(msg + 1);
    uint64_t reply_id = msg->reply_id & OFI_ID_LOW;
    uint8_t addr[sizeof server->addr];
    if (nbytes < sizeof *msg + sizeof *first ||
        first->addr_nbytes > nbytes - sizeof *msg - sizeof *first ||
        first->hello.magic != OFI_MAGIC || first->hello.wire != OFI_WIRE ||
        !take_address(server, first, addr)) {
        ofi_server_drop(server, "a first message that is malformed");
        return;
    }
    ofi_whom_t whom = ofi_server_whom(server);
    if (!ofi_hello_check(&first->hello, &whom)) {
        refuse(server, first, addr);
        return;
    }
    uint64_t addr_digest =
        ofi_digest(server->config.secret, OFI_FOR_ADDRESS, addr, server->addr_nbytes);
    if (!ofi_server_takes(server, &first->hello) || is_late(server, addr_digest, &first->hello)) {
        ofi_server_drop(server, "a first message that came before");
        return;
    }
    ofi_peer_t *peer = find_peer(server, first->hello.pe, addr_digest);
    if (!peer)
        return;
    peer->addr_digest = addr_digest;
    peer->attempt = first->hello.number;
    int n = fi_av_insert(server->device.av, addr, 1, &peer->fi_addr, 0, NULL);
    if (n != 1) {
        cwu_warn("libfabric (%s): the node server cannot take the address of PE %u: %s",
                 ofi_choice.info->fabric_attr->prov_name, first->hello.pe,
                 n < 0 ? ofi_reason(n) : "it is not valid");
        peer->dying = true;
        return;
    }
    peer->connected = true;
    memset(peer->host, 0, sizeof peer->host);
    memcpy(peer->host, addr,
           server->addr_nbytes < sizeof peer->host ? server->addr_nbytes : sizeof peer->host);
    server->stats.connections++;
    ofi_welcome_t welcome;
    ofi_peer_welcome(peer, &first->hello, &welcome);
    ofi_reply_header_t header = {.reply_id = reply_id, .kind = OFI_REPLY_WELCOME};
    ofi_server_send(peer, &header, &welcome, sizeof welcome);
}

/** The client's last message: its number is free for another one. A client that evicts the
 *  connection waits for an acknowledgement. */
static void bye(ofi_peer_t *peer, bool acknowledge)
{
    peer->connected = false;
    peer->executed++;
    if (acknowledge) {
        ofi_reply_header_t header = {.kind = OFI_REPLY};
        ofi_server_send(peer, &header, NULL, 0);
    } else {
        ofi_peer_drop_queue(peer);
    }
    peer->leaving = true;
    peer->dying = !peer->queue;
}

void ofi_server_rdm_own(cwt_server_t *server, ofi_peer_t *peer, const cwt_header_t *msg,
                        size_t nbytes)
{
    if (ofi_choice.msg)
        ofi_server_drop(server, "a first message on a connection");
    else if (msg->op == OFI_OWN_HELLO)
        hello(server, msg, nbytes);
    else if (msg->op == OFI_OWN_BYE && peer && peer->connected)
        bye(peer, (msg->reply_id & OFI_ID_ACK) != 0);
}
