// SPDX-License-Identifier: BSD-3-Clause
//
// Connecting with MSG endpoints: proof and descriptors ride in the private data both ways, so RMA is possible the
// moment the connection is up. A server that is not listening yet is tried again until CAUSEWAY_TIMEOUT.
#include "ofi.h"

#include <stdlib.h>
#include <string.h>

/** What one attempt came to. */
typedef struct outcome {
    bool over;        // an event decided it
    int err;          // 0, or the provider's error
    uint32_t reason;  // OFI_REJECT…, 0: none given
} outcome_t;

static void read_error(cwt_conn_t *conn, outcome_t *out)
{
    union {
        struct fi_eq_err_entry err;
        uint8_t room[256];
    } u;
    memset(&u, 0, sizeof u);
    if (fi_eq_readerr(conn->client->lane.eq, &u.err, 0) <= 0 || u.err.fid != &conn->ep->fid)
        return;
    ofi_reject_t reject = {0, 0};
    if (u.err.err_data && u.err.err_data_size >= sizeof reject)
        memcpy(&reject, u.err.err_data, sizeof reject);
    out->over = true;
    out->err = u.err.err ? u.err.err : FI_ECONNREFUSED;
    out->reason = reject.magic == OFI_MAGIC ? reject.reason : 0;
}

/** Reads one event; those of other connections are the completion code's business, but only a shutdown can be one. */
static void read_event(cwt_conn_t *conn, ofi_welcome_t *welcome, outcome_t *out)
{
    struct {
        struct fi_eq_cm_entry entry;
        uint8_t data[256];
    } event;
    uint32_t kind = 0;
    ssize_t n = fi_eq_read(conn->client->lane.eq, &kind, &event, sizeof event, 0);
    if (n == -FI_EAVAIL) {
        read_error(conn, out);
        return;
    }
    if (n < (ssize_t)sizeof event.entry)
        return;
    if (event.entry.fid != &conn->ep->fid) {
        for (cwt_conn_t *other = conn->client->conns; other; other = other->next)
            if (kind == FI_SHUTDOWN && other->ep && event.entry.fid == &other->ep->fid)
                other->down = true;
        return;
    }
    size_t data_nbytes = (size_t)n - sizeof event.entry;
    out->over = true;
    out->err = kind == FI_CONNECTED ? 0 : FI_ECONNABORTED;
    memset(welcome, 0, sizeof *welcome);
    memcpy(welcome, event.entry.data, data_nbytes < sizeof *welcome ? data_nbytes : sizeof *welcome);
}

static void close_attempt(cwt_conn_t *conn)
{
    fi_close(&conn->ep->fid);
    conn->ep = NULL;
    while (ofi_client_poll(conn->client) > 0)  // its cancelled receives
        ;
    conn->error = 0;
}

/** 0: connected. CW_EAGAIN: worth another try; *out says what was wrong. */
static int attempt(cwt_conn_t *conn, const ofi_blob_t *blob, const ofi_hello_t *hello, ofi_welcome_t *welcome,
                   uint64_t start, outcome_t *out)
{
    cwt_client_t *client = conn->client;
    struct fi_info *info = ofi_lib.dupinfo(ofi_choice.info);
    if (!info)
        return CW_ENOMEM;
    free(info->dest_addr);
    info->dest_addr = malloc(blob->addr_nbytes);
    info->dest_addrlen = blob->addr_nbytes;
    int rc = info->dest_addr ? 0 : CW_ENOMEM;
    if (rc == 0) {
        memcpy(info->dest_addr, blob->addr, blob->addr_nbytes);
        rc = ofi_lane_endpoint(&client->lane, info, conn, &conn->ep);
    }
    ofi_lib.freeinfo(info);
    if (rc == 0)
        rc = ofi_conn_post_all(conn);
    if (rc != 0)
        return rc;
    *out = (outcome_t){0};
    rc = fi_connect(conn->ep, blob->addr, hello, sizeof *hello);
    if (rc != 0)
        *out = (outcome_t){.over = true, .err = -rc};
    ofi_waiter_t w = OFI_WAITER("a connection");
    while (!out->over) {
        read_event(conn, welcome, out);
        if (out->over)
            break;
        rc = ofi_wait_round(client, NULL, &w);
        if (rc == 0 && cwu_now_ns() - start > ofi_timeout_ns())
            *out = (outcome_t){.over = true, .err = FI_ETIMEDOUT};
        if (rc != 0)
            return rc;
    }
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
    default:
        return "refused: the other node has no memory or descriptors for one more connection";
    }
}

int ofi_connect_msg(cwt_conn_t *conn, const ofi_blob_t *blob, const ofi_hello_t *hello, ofi_welcome_t *welcome)
{
    uint64_t start = cwu_now_ns();
    uint32_t pause_us = 0;
    outcome_t out;
    for (;;) {
        int rc = attempt(conn, blob, hello, welcome, start, &out);
        if (rc != CW_EAGAIN) {
            if (rc != 0 && conn->ep)
                close_attempt(conn);
            return rc;
        }
        close_attempt(conn);
        if (out.reason == OFI_REJECT_PROOF || out.reason == OFI_REJECT_WIRE)
            return ofi_connect_failed(conn, CW_EREFUSED, reject_text(out.reason));
        rc = ofi_connect_pause(conn, start, &pause_us);
        if (rc == CW_ETIMEOUT)
            return ofi_connect_failed(conn, CW_ETIMEOUT, out.reason ? reject_text(out.reason) : ofi_reason(out.err));
        if (rc != 0)
            return rc;
    }
}
