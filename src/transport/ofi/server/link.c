// SPDX-License-Identifier: BSD-3-Clause
//
// Links between two servers: opened, tested, put to, proved.
#include "link.h"

#include <rdma/fi_cm.h>
#include <rdma/fi_rma.h>

#include <stdlib.h>
#include <string.h>

#define AGAIN_NS 1000000000u  // between attempts
// Reads before the first put: a connection that has sent less than a proof has counts as
// unauthenticated, and is closed after some seconds (lib/unauth.c).
#define TESTS 4u
#define READ_NBYTES 8u

static ofi_server_link_t *link_at(const ofi_link_t *seen)
{
    return (ofi_server_link_t *)(uintptr_t)seen;
}

static ofi_link_t *link_of(cwt_server_t *server, int node)
{
    ofi_server_link_t *link = server->links;
    while (link && link->node != node)
        link = link->next;
    if (link)
        return &link->seen;
    // of the completion queue one entry, for its read
    if (ofi_device_take(&server->device, 1, 1) == 0)
        return NULL;
    link = ofi_alloc_lines(sizeof *link);
    if (!link) {
        ofi_device_give(&server->device, 1);
        return NULL;
    }
    link->server = server;
    link->node = node;
    link->fi_addr = FI_ADDR_UNSPEC;
    link->next = server->links;
    server->links = link;
    return &link->seen;
}

/** Ends it; false. */
static bool set_back(ofi_server_link_t *link)
{
    cwu_debug("a link to node %d has ended, or did not come about", link->node);
    link->state = link->state == OFI_LINK_UP ? OFI_LINK_LOST : OFI_LINK_NONE;
    link->again_ns = cwu_now_ns() + AGAIN_NS;
    link->tested = 0;
    return false;
}

static bool may_begin(const ofi_server_link_t *link)
{
    return link->state == OFI_LINK_NONE && cwu_now_ns() >= link->again_ns;
}

// ---------------------------------------------------------------- MSG

static bool is_lower(const ofi_server_link_t *link)
{
    return link->server->config.node < link->node;
}

static bool connects(const ofi_link_t *seen)
{
    return ofi_choice.msg && is_lower(link_at(seen)) && may_begin(link_at(seen));
}

/** The end of the attempt is an event of the server's queue. */
static void connect_to(ofi_server_link_t *link, const ofi_link_to_t *to, const ofi_hello_t *hello)
{
    cwt_server_t *server = link->server;
    ofi_whom_t whom = {server->config.secret, to->blob->birth, link->node};
    ofi_peer_t *peer = ofi_peer_create_silent(server, hello->pe);
    int rc = peer ? ofi_device_endpoint_to(&server->device, to->blob->addr, to->blob->addr_nbytes,
                                           peer, &peer->ep)
                  : CW_ENOMEM;
    if (rc == 0) {
        link->hello = *hello;
        link->hello.link = (uint16_t)(server->config.node + 1);
        link->birth = to->blob->birth;
        ofi_hello_sign(&link->hello, &whom);
        rc = fi_connect(peer->ep, to->blob->addr, &link->hello, sizeof link->hello);
    }
    if (rc == 0) {
        link->peer = peer;
        peer->link = link;
        link->state = OFI_LINK_CONNECTING;
        return;
    }
    if (peer && peer->ep)
        fi_close(&peer->ep->fid);
    if (peer)
        ofi_peer_destroy(peer);
    set_back(link);
}

static void use_peer(ofi_server_link_t *link, ofi_peer_t *peer)
{
    link->peer = peer;
    link->ep = peer->ep;
    peer->link = link;
    link->state = OFI_LINK_TESTING;
}

void ofi_link_connected(ofi_server_link_t *link, const void *data, size_t nbytes)
{
    ofi_whom_t whom = {link->server->config.secret, link->birth, link->node};
    ofi_welcome_t welcome;
    memset(&welcome, 0, sizeof welcome);
    memcpy(&welcome, data, nbytes < sizeof welcome ? nbytes : sizeof welcome);
    if (link->state != OFI_LINK_CONNECTING)
        return;
    if (welcome.magic == OFI_MAGIC && welcome.wire == OFI_WIRE &&
        ofi_is_same(welcome.proof, ofi_welcome_proof(&welcome, &link->hello, &whom)))
        use_peer(link, link->peer);
    else
        link->peer->dying = true;
}

/** The other side has connected, or will. */
static void find_peer(ofi_server_link_t *link)
{
    ofi_peer_t *peer = link->server->peers;
    while (peer &&
           !(peer->linked_node == link->node + 1 && peer->connected && !peer->dying && !peer->link))
        peer = peer->next;
    if (peer)
        use_peer(link, peer);
}

void ofi_link_ended(ofi_server_link_t *link)
{
    link->peer = NULL;
    link->ep = NULL;
    link->reading = false;
    set_back(link);
}

// ---------------------------------------------------------------- RDM

static bool invites(const ofi_link_t *seen)
{
    return !ofi_choice.msg && is_lower(link_at(seen));
}

void ofi_link_invited(cwt_server_t *server, uint32_t node)
{
    bool is_lowers = node < (uint32_t)server->config.node;
    const ofi_link_t *seen = is_lowers ? link_of(server, (int)node) : NULL;
    if (seen)
        link_at(seen)->invited = true;
    else if (!is_lowers)
        ofi_server_drop(server, "an invitation that comes from no lower node");
}

static void name_server(ofi_server_link_t *link, const ofi_blob_t *blob)
{
    const ofi_device_t *device = &link->server->device;
    if (link->fi_addr == FI_ADDR_UNSPEC &&
        fi_av_insert(device->av, blob->addr, 1, &link->fi_addr, 0, NULL) != 1) {
        link->fi_addr = FI_ADDR_UNSPEC;
        set_back(link);
        return;
    }
    link->ep = device->ep;
    link->state = OFI_LINK_TESTING;
}

// ---------------------------------------------------------------- both

static void begin(ofi_server_link_t *link, const ofi_link_to_t *to, const ofi_hello_t *hello)
{
    link->key = to->key;
    link->base = to->base;
    if (ofi_choice.msg && !is_lower(link))
        find_peer(link);
    else if (ofi_choice.msg && hello)
        connect_to(link, to, hello);
    else if (!ofi_choice.msg && (link->invited || is_lower(link)))
        name_server(link, to->blob);
}

static bool prove(ofi_link_t *seen)
{
    ofi_server_link_t *link = link_at(seen);
    if (link->state != OFI_LINK_UP && link->state != OFI_LINK_TESTING)
        return false;
    if (link->reading)
        return true;
    link->read.kind = OFI_FLUSH;
    link->covered = seen->puts;
    ssize_t rc = fi_read(link->ep, &link->scratch, READ_NBYTES, NULL, link->fi_addr, link->base,
                         link->key, &link->read.context);
    link->reading = rc == 0;
    return rc == 0 || rc == -FI_EAGAIN || set_back(link);
}

void ofi_link_read_ended(ofi_op_t *op, bool failed)
{
    ofi_server_link_t *link =
        (ofi_server_link_t *)(void *)((char *)op - offsetof(ofi_server_link_t, read));
    if (!link->reading)
        return;
    link->reading = false;
    if (failed) {
        set_back(link);
        return;
    }
    link->tested++;
    atomic_store_explicit(&link->seen.proved, link->covered, memory_order_release);
}

void ofi_links_put_failed(cwt_server_t *server)
{
    for (ofi_server_link_t *link = server->links; link; link = link->next)
        if (link->state == OFI_LINK_UP && ofi_link_unproved(&link->seen))
            set_back(link);
}

static bool step(ofi_link_t *seen, const ofi_link_to_t *to, const ofi_hello_t *hello)
{
    ofi_server_link_t *link = link_at(seen);
    if (may_begin(link))
        begin(link, to, hello);
    if (link->state == OFI_LINK_TESTING && link->tested >= TESTS) {
        link->state = OFI_LINK_UP;
        cwu_debug("a link to node %d is up", link->node);
    } else if (link->state == OFI_LINK_TESTING) {
        (void)prove(seen);
    }
    return link->state == OFI_LINK_UP;
}

static ssize_t put(ofi_link_t *seen, const void *src, size_t nbytes, uint64_t offset)
{
    const ofi_server_link_t *link = link_at(seen);
    if (CW_UNLIKELY(link->state != OFI_LINK_UP))
        return -FI_ENOTCONN;
    ssize_t rc =
        fi_inject_write(link->ep, src, nbytes, link->fi_addr, offset + link->base, link->key);
    seen->puts += rc == 0;
    return rc;
}

const ofi_link_calls_t ofi_link_calls = {.of = link_of,
                                         .step = step,
                                         .connects = connects,
                                         .invites = invites,
                                         .put = put,
                                         .prove = prove};

/** No completion can name a read any more. */
void ofi_links_close(cwt_server_t *server)
{
    while (server->links) {
        ofi_server_link_t *link = server->links;
        server->links = link->next;
        free(link);
    }
}
