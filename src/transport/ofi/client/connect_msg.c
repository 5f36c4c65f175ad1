// SPDX-License-Identifier: BSD-3-Clause
//
// Connecting with MSG endpoints: proof and keys travel in the private data of connect and accept,
// so RMA is possible as soon as the connection is up. If the server does not listen yet, the client
// tries again until CAUSEWAY_TIMEOUT.
#include "calls.h"

#include <string.h>

static void close_attempt(cwt_conn_t *conn)
{
    fi_close(&conn->ep->fid);
    conn->ep = NULL;
    ofi_receives_stop(&conn->receives);
    while (ofi_client_poll(conn->client) > 0)  // takes in its cancelled receives
        ;
    conn->error = 0;
}

/** Waits until an event decides the attempt, or CAUSEWAY_TIMEOUT does. */
static int wait_decided(cwt_client_t *client, uint64_t start, ofi_attempt_t *out)
{
    ofi_waiter_t w = OFI_WAITER("a connection");
    int rc = 0;
    while (!out->over && rc == 0) {
        // any thread that waits on this client may read the event; it finds conn->attempt
        ofi_client_events(client);
        if (out->over)
            break;
        rc = ofi_connect_round(client, NULL, &w);
        if (rc == 0 && !out->over && cwu_now_ns() - start > ofi_timeout_ns()) {
            out->over = true;
            out->err = FI_ETIMEDOUT;
        }
    }
    return rc;
}

/** 0: connected. CW_EAGAIN: worth another attempt; *out has the reason. */
static int attempt(cwt_conn_t *conn, const ofi_blob_t *blob, const ofi_hello_t *hello,
                   uint64_t start, ofi_attempt_t *out)
{
    cwt_client_t *client = conn->client;
    int rc =
        ofi_device_endpoint_to(&client->device, blob->addr, blob->addr_nbytes, conn, &conn->ep);
    if (rc == 0)
        rc = ofi_receives_start(&conn->receives, conn->ep);
    if (rc != 0)
        return rc;
    out->over = false;
    out->err = 0;
    out->reason = 0;
    conn->attempt = out;
    rc = fi_connect(conn->ep, blob->addr, hello, sizeof *hello);
    if (rc != 0) {
        out->over = true;
        out->err = -rc;
    }
    rc = wait_decided(client, start, out);
    conn->attempt = NULL;
    if (rc != 0)
        return rc;
    return out->err == 0 ? 0 : CW_EAGAIN;
}

static const char *reject_text(uint32_t reason)
{
    switch (reason) {
    case OFI_REJECT_PROOF:
        return "refused: the job's secret was not right";
    case OFI_REJECT_WIRE:
        return "refused: another protocol version";
    case OFI_REJECT_NOT_READY:
        return "refused: the other node is still starting";
    case OFI_REJECT_AGAIN:
        return "refused: the other node had this request before";
    default:
        return "refused: the other node has no memory or descriptors for one more connection";
    }
}

int ofi_connect_msg(cwt_conn_t *conn, const ofi_blob_t *blob, ofi_hello_t *hello,
                    ofi_welcome_t *welcome)
{
    uint64_t start = cwu_now_ns();
    uint32_t pause_us = 0;
    ofi_attempt_t out = {.welcome = welcome};
    for (;;) {
        ofi_conn_hello(conn, hello);
        int rc = attempt(conn, blob, hello, start, &out);
        if (rc != CW_EAGAIN) {
            if (rc != 0 && conn->ep)
                close_attempt(conn);
            return rc;
        }
        close_attempt(conn);
        if (out.reason == 0 && ofi_is_definite(out.err))
            return ofi_connect_failed(conn, CW_EINVAL, ofi_reason(out.err));
        if (out.reason == OFI_REJECT_PROOF || out.reason == OFI_REJECT_WIRE)
            return ofi_connect_failed(conn, CW_EREFUSED, reject_text(out.reason));
        if (conn->opened > 0 && out.err == FI_ECONNREFUSED && out.reason == 0)
            return ofi_connect_failed(conn, CW_ELOST,
                                      "its node server has ended, or closed it at once");
        rc = ofi_connect_pause(conn, start, &pause_us);
        if (rc == CW_ETIMEOUT)
            return ofi_connect_failed(conn, CW_ETIMEOUT,
                                      out.reason ? reject_text(out.reason) : ofi_reason(out.err));
        if (rc != 0)
            return rc;
    }
}
