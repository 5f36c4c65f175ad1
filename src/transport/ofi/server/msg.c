// SPDX-License-Identifier: BSD-3-Clause
//
// The server with MSG endpoints: listens, checks the proof in a connection request's private data,
// accepts or rejects, and notices when a client goes.
//
// A connection always goes from one client (a PE's context) to one node's server, never the other
// way round. Two nodes whose first contacts cross make two independent connections.
#include "server.h"

#include <rdma/fi_cm.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

typedef union cm_event {
    struct fi_eq_cm_entry entry;
    uint8_t room[sizeof(struct fi_eq_cm_entry) + 256];  // private data follows the entry
} cm_event_t;

/** Was the other end closed meanwhile? Its process has ended, or connects again. */
static bool is_closed(ssize_t rc)
{
    return rc == -FI_ECONNRESET || rc == -FI_ECONNABORTED || rc == -FI_ENOTCONN || rc == -EPIPE;
}

static int failed(const char *what, ssize_t rc)
{
    if (is_closed(rc))
        cwu_debug("node server: cannot %s: %s", what, ofi_reason(rc));
    else if (!ofi_out_of_files())
        cwu_error("libfabric (%s): the node server cannot %s: %s; set CAUSEWAY_INTERFACE or "
                  "CAUSEWAY_PROVIDER",
                  ofi_choice.info->fabric_attr->prov_name, what, ofi_reason(rc));
    return ofi_is_definite(rc) ? CW_EINVAL : CW_ESYS;
}

int ofi_server_msg_open(cwt_server_t *server)
{
    int rc = fi_passive_ep(server->device.fabric, ofi_choice.info, &server->pep, NULL);
    if (rc != 0)
        return failed("open a listener", rc);
    rc = fi_pep_bind(server->pep, &server->device.eq->fid, 0);
    if (rc == 0)
        rc = fi_listen(server->pep);
    server->addr_nbytes = sizeof server->addr;
    if (rc == 0)
        rc = fi_getname(&server->pep->fid, server->addr, &server->addr_nbytes);
    return rc == 0 ? 0 : failed("listen", rc);
}

static void reject(cwt_server_t *server, struct fi_info *info, uint32_t reason)
{
    ofi_reject_t r = {OFI_MAGIC, reason};
    int rc = fi_reject(server->pep, info->handle, &r, sizeof r);
    if (rc != 0)
        cwu_debug("node server: rejecting a connection failed: %s", ofi_reason(rc));
}

/** Why this request is not accepted, or 0. */
static uint32_t judge(cwt_server_t *server, const ofi_hello_t *hello, size_t nbytes)
{
    if (nbytes < sizeof *hello || hello->magic != OFI_MAGIC) {
        ofi_server_drop(server, "a connection request of another protocol");
        return OFI_REJECT_WIRE;
    }
    if (hello->wire != OFI_WIRE) {
        ofi_server_drop(server, "a connection request of another Causeway version");
        return OFI_REJECT_WIRE;
    }
    if (!server->ready)
        return OFI_REJECT_NOT_READY;
    ofi_whom_t whom = ofi_server_whom(server);
    if (!ofi_hello_check(hello, &whom)) {
        ofi_server_drop(server, "a connection request without the job's secret");
        return OFI_REJECT_PROOF;
    }
    if (!ofi_server_takes(server, hello)) {
        ofi_server_drop(server, "a connection request that came before");
        return OFI_REJECT_AGAIN;
    }
    return 0;
}

/** Opens the endpoint; from then on the request is its, and is not to be rejected. */
static int open_peer(cwt_server_t *server, struct fi_info *info, ofi_peer_t *peer)
{
    int rc = ofi_peer_number(peer);
    return rc ? rc : ofi_device_endpoint(&server->device, info, peer, &peer->ep);
}

/** Why it is rejected, or 0: it is accepted, or its endpoint will be closed, which its client sees.
 *  What would fail for each client ends the job. */
static uint32_t accept_peer(cwt_server_t *server, struct fi_info *info, const ofi_hello_t *hello)
{
    ofi_peer_t *peer = ofi_peer_create(server, hello->pe);
    if (!peer)
        return OFI_REJECT_RESOURCES;
    int rc = open_peer(server, info, peer);
    uint32_t reason = peer->ep ? 0 : OFI_REJECT_RESOURCES;
    if (rc == 0)
        rc = ofi_receives_start(&peer->receives, peer->ep);
    if (rc == 0) {
        ofi_welcome_t welcome;
        ofi_peer_welcome(peer, hello, &welcome);
        // counted before the client can know: one that ends soon finds its connections counted
        server->stats.connections++;
        rc = fi_accept(peer->ep, &welcome, sizeof welcome);
        if (rc == 0)
            return 0;
        server->stats.connections--;
        rc = failed("accept a connection", rc);
    }
    if (rc == CW_EINVAL || rc == CW_ENOTSUP)
        server->lost = rc;
    if (peer->ep)
        peer->dying = true;  // has receives, whose ends are to be read before they are freed
    else
        ofi_peer_destroy(peer);
    return reason;
}

static void connection_request(cwt_server_t *server, cm_event_t *event, size_t nbytes)
{
    ofi_hello_t hello;
    size_t data_nbytes = nbytes > sizeof event->entry ? nbytes - sizeof event->entry : 0;
    memset(&hello, 0, sizeof hello);
    memcpy(&hello, event->entry.data, data_nbytes < sizeof hello ? data_nbytes : sizeof hello);
    uint32_t reason = judge(server, &hello, data_nbytes);
    if (reason == 0)
        reason = accept_peer(server, event->entry.info, &hello);
    if (reason != 0)
        reject(server, event->entry.info, reason);
    ofi_lib.freeinfo(event->entry.info);
}

static ofi_peer_t *peer_of(cwt_server_t *server, const struct fid *fid)
{
    for (ofi_peer_t *peer = server->peers; peer; peer = peer->next)
        if (peer->ep && &peer->ep->fid == fid)
            return peer;
    return NULL;
}

static int one_event(cwt_server_t *server)
{
    cm_event_t event;
    uint32_t kind = 0;
    // if errno is EAGAIN, tcp of libfabric 1.17 takes the end of a connection for "nothing yet"
    errno = 0;
    ssize_t n = fi_eq_read(server->device.eq, &kind, &event, sizeof event, 0);
    ofi_peer_t *peer;
    if (n == -FI_EAVAIL) {
        struct fi_eq_err_entry err;
        memset(&err, 0, sizeof err);
        if (fi_eq_readerr(server->device.eq, &err, 0) < 0)
            return 0;
        cwu_debug("node server: connection event: %s", ofi_reason(err.err));
        peer = err.fid ? peer_of(server, err.fid) : NULL;
        if (peer)
            peer->dying = true;
        return 1;
    }
    if (n < (ssize_t)sizeof event.entry)
        return 0;
    switch (kind) {
    case FI_CONNREQ:
        connection_request(server, &event, (size_t)n);
        break;
    case FI_CONNECTED:
        peer = peer_of(server, event.entry.fid);
        if (peer && !peer->connected) {
            size_t nbytes = sizeof peer->host;
            if (fi_getpeer(peer->ep, peer->host, &nbytes) != 0)
                memset(peer->host, 0, sizeof peer->host);
            peer->connected = true;
        }
        break;
    case FI_SHUTDOWN:
        peer = peer_of(server, event.entry.fid);
        if (peer)
            peer->dying = true;
        break;
    default:
        break;
    }
    return 1;
}

int ofi_server_msg_progress(cwt_server_t *server)
{
    int n = 0;
    while (n < 64 && one_event(server))
        n++;
    return n;
}
